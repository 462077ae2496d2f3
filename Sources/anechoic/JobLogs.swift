internal import AnechoicAPI
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf

/// The files of JSON lines that a job writes beside its audio.
struct JobLogs {
  private let events: LineFile?
  private let statistics: LineFile?
  private let frames: LineFile?

  /// Paths, "-" for standard output, or nil for none.
  init(events: String?, statistics: String?, frames: String?) throws {
    self.events = try events.map { try LineFile($0) }
    self.statistics = try statistics.map { try LineFile($0) }
    self.frames = try frames.map { try LineFile($0) }
  }

  func note(_ event: Anechoic_V1_SessionEvent) throws {
    try events?.write(event.jsonString())
  }

  func note(_ stats: Anechoic_V1_SessionStats) throws {
    try statistics?.write(stats.jsonString())
  }

  /// `firstSample` is where the frame begins in the output.
  func note(_ frame: Anechoic_V1_FrameInfo, firstSample: Int64) throws {
    guard let frames else { return }
    var options = JSONEncodingOptions()
    options.alwaysPrintInt64sAsNumbers = true
    let members = try frame.jsonString(options: options).dropFirst()
    let separator = members == "}" ? "" : ","
    try frames.write("{\"sample\":\(firstSample)\(separator)\(members)")
  }
}

/// A file, or standard output, written line by line.
private final class LineFile {
  private let path: String
  private let handle: FileHandle

  init(_ path: String) throws {
    self.path = path
    guard path != "-" else {
      handle = .standardOutput
      return
    }
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw CommandFailure("\(path): cannot be written") }
    self.handle = handle
  }

  deinit { if path != "-" { try? handle.close() } }

  func write(_ line: String) throws {
    do {
      try handle.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      throw CommandFailure("\(path): cannot be written")
    }
  }
}
