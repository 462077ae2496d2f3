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

  /// Sample indexes as numbers, which they are to every program.
  private static let json: JSONEncodingOptions = {
    var options = JSONEncodingOptions()
    options.alwaysPrintInt64sAsNumbers = true
    return options
  }()

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
    try events?.write(event.jsonString(options: Self.json))
  }

  func note(_ stats: Anechoic_V1_SessionStats) throws {
    try statistics?.write(stats.jsonString(options: Self.json))
  }

  /// `firstSample` is where the frame begins in the output.
  func note(_ frame: Anechoic_V1_FrameInfo, firstSample: Int64) throws {
    guard let frames else { return }
    let members = try frame.jsonString(options: Self.json).dropFirst()
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
    // What is there stays what it is: a device, a FIFO, or a link to a file.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw CommandFailure("\(path): \(String(cString: strerror(errno)).lowercased())")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func write(_ line: String) throws {
    do {
      try handle.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      throw CommandFailure("\(path): cannot be written")
    }
  }
}
