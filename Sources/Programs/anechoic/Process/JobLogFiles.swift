internal import AnechoicAPI
internal import AudioCore
internal import CommandLineSupport
internal import SwiftProtobuf

/// A reader of everything that the session of a job says besides audio.
protocol JobLog: AnyObject {
  func record(_ event: Anechoic_V1_SessionEvent) throws
  func record(_ result: Anechoic_V1_ControlResult) throws
  func record(_ stats: Anechoic_V1_SessionStats) throws
  func record(_ frame: JobFrame) throws

  /// Completes the log. Called once, also after an error, and then nothing follows.
  func finish() throws
}

/// The findings about 10 ms of the output, and the levels of these 10 ms.
struct JobFrame {
  var findings: Anechoic_V1_FrameInfo
  /// The index of the frame's first sample.
  var firstSample: Int64
  /// The mean squares of the microphone, of the played sound, and of the output. Nil if unknown.
  var microphone: Float?
  var played: Float?
  var processed: Float?
}

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

    init(_ path: String, _ columns: [TableColumn]) throws(CommandError) {
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

    func finish() throws(CommandError) {
      if case .table(let file) = self { try file.finish() }
    }
  }

  private let rate: SampleRate
  private let events: LogFile?
  private let statistics: LogFile?
  private let frames: LogFile?

  /// Opens the files. `rate` is the rate of the microphone.
  init(_ paths: Paths, rate: SampleRate) throws(CommandError) {
    self.rate = rate
    func open(
      _ path: String?, _ columns: [TableColumn]
    ) throws(CommandError) -> LogFile? {
      guard let path else { return nil }
      return try LogFile(path, columns)
    }
    events = try open(paths.events, EventTable.columns)
    statistics = try open(paths.statistics, StatisticsTable.columns)
    frames = try open(paths.frames, FrameTable.columns)
  }

  func record(_ event: Anechoic_V1_SessionEvent) throws {
    try events?.write(line: event.jsonLine) { try EventTable.row(event, rate) }
  }

  /// Writes a result in its place among the events. As a line, it contains only `controlResult`.
  func record(_ result: Anechoic_V1_ControlResult) throws {
    try events?.write {
      try Anechoic_V1_ProcessResponse.with { $0.controlResult = result }.jsonLine()
    } row: {
      try EventTable.row(result, rate)
    }
  }

  func record(_ stats: Anechoic_V1_SessionStats) throws {
    try statistics?.write(line: stats.jsonLine) { StatisticsTable.row(stats) }
  }

  func record(_ frame: JobFrame) throws {
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

/// The table of `--frames`: a row for each 10 ms of the output.
enum FrameTable {
  static let columns = [
    TableColumn("time_s", .real), TableColumn("sample", .integer),
    TableColumn("microphone_dbfs", .level), TableColumn("played_dbfs", .level),
    TableColumn("processed_dbfs", .level), TableColumn("speech_probability", .level),
    TableColumn("voice", .truth), TableColumn("muted", .truth),
  ]

  static func row(_ frame: JobFrame, _ rate: SampleRate) -> [TableValue] {
    [
      .real(Double(frame.firstSample) / Double(rate.hertz)), .integer(frame.firstSample),
      level(frame.microphone), level(frame.played), level(frame.processed),
      TableValue(frame.findings.speechProbability), .truth(frame.findings.voice),
      .truth(frame.findings.muted),
    ]
  }

  private static func level(_ meanSquare: Float?) -> TableValue {
    TableValue(meanSquare.map { Decibels.level(meanSquare: $0) })
  }
}
