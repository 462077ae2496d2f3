internal import AnechoicAPI
internal import AudioCore
internal import CommandLineSupport
internal import SwiftProtobuf

/// The files that a job writes besides its audio. The extension of a file selects its form: .csv and
/// .npz are tables, and everything else is JSON lines.
final class JobLogFiles: JobLog {
  /// The paths of the files. "-" is standard output. Nil writes nothing.
  struct Paths {
    var events: String?
    var statistics: String?
    var frames: String?
  }

  /// A file in the form that its name selects.
  private enum LogFile {
    case lines(LineFile)
    case table(any TableFile)

    init(_ path: String, _ columns: [TableColumn]) throws(CommandFailure) {
      if let form = TableForm(path: path) {
        self = .table(try form.open(path, columns))
      } else {
        self = .lines(try LineFile(path))
      }
    }

    func write(line: () throws -> String, row: () throws -> [TableValue]) throws {
      switch self {
      case .lines(let file): try file.write(line())
      case .table(let file): try file.append(row())
      }
    }

    func finish() throws(CommandFailure) {
      if case .table(let file) = self { try file.finish() }
    }
  }

  private let rate: SampleRate
  private let events: LogFile?
  private let statistics: LogFile?
  private let frames: LogFile?

  /// Opens the files. `rate` is the rate of the microphone.
  init(_ paths: Paths, rate: SampleRate) throws(CommandFailure) {
    self.rate = rate
    func open(
      _ path: String?, _ columns: [TableColumn]
    ) throws(CommandFailure) -> LogFile? {
      guard let path else { return nil }
      return try LogFile(path, columns)
    }
    events = try open(paths.events, EventTable.columns)
    statistics = try open(paths.statistics, StatisticsTable.columns)
    frames = try open(paths.frames, FrameTable.columns)
  }

  func note(_ event: Anechoic_V1_SessionEvent) throws {
    try events?.write(line: event.jsonLine) { try EventTable.row(event, rate) }
  }

  /// Writes a result in its place among the events. As a line, it contains only `controlResult`.
  func note(_ result: Anechoic_V1_ControlResult) throws {
    try events?.write {
      try Anechoic_V1_ProcessResponse.with { $0.controlResult = result }.jsonLine()
    } row: {
      try EventTable.row(result, rate)
    }
  }

  func note(_ stats: Anechoic_V1_SessionStats) throws {
    try statistics?.write(line: stats.jsonLine) { StatisticsTable.row(stats) }
  }

  func note(_ frame: JobFrame) throws {
    try frames?.write {
      let members = try frame.findings.jsonLine().dropFirst()
      let separator = members == "}" ? "" : ","
      return "{\"sample\":\(frame.firstSample)\(separator)\(members)"
    } row: {
      FrameTable.row(frame, rate)
    }
  }

  func finish() throws {
    for file in [events, statistics, frames] { try file?.finish() }
  }
}
