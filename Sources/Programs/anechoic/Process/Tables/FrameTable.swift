internal import AnechoicAPI
internal import AudioCore

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
