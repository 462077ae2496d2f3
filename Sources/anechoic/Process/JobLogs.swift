internal import AnechoicAPI
internal import SwiftProtobuf

/// The files of JSON lines that a job writes beside its audio.
struct JobLogs {
  private let events: LineFile?
  private let statistics: LineFile?
  private let frames: LineFile?

  /// Where they go: "-" is standard output, nil nowhere.
  struct Paths {
    var events: String?
    var statistics: String?
    var frames: String?
  }

  init(_ paths: Paths) throws {
    events = try paths.events.map { try LineFile($0) }
    statistics = try paths.statistics.map { try LineFile($0) }
    frames = try paths.frames.map { try LineFile($0) }
  }

  func note(_ event: Anechoic_V1_SessionEvent) throws {
    try events?.write(event.jsonLine())
  }

  /// Among the events, in order: a line with `controlResult` only.
  func note(_ result: Anechoic_V1_ControlResult) throws {
    try events?.write(Anechoic_V1_ProcessResponse.with { $0.controlResult = result }.jsonLine())
  }

  func note(_ stats: Anechoic_V1_SessionStats) throws {
    try statistics?.write(stats.jsonLine())
  }

  /// `firstSample` is where the frame begins in the output.
  func note(_ frame: Anechoic_V1_FrameInfo, firstSample: Int64) throws {
    guard let frames else { return }
    let members = try frame.jsonLine().dropFirst()
    let separator = members == "}" ? "" : ","
    try frames.write("{\"sample\":\(firstSample)\(separator)\(members)")
  }
}
