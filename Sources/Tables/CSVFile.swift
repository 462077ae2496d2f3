public import CommandLineSupport

/// A table of comma-separated values, https://www.rfc-editor.org/rfc/rfc4180, with a first line of
/// names. Each row is written at once, and a missing value is empty.
public final class CSVFile: TableFile {
  private let file: LineFile

  /// Opens the file and writes the line of names.
  public init(_ path: String, _ columns: [TableColumn]) throws(CommandFailure) {
    file = try LineFile(path)
    try file.write(Self.line(columns.map { .text($0.name) }))
  }

  public func append(_ row: [TableValue]) throws(CommandFailure) {
    try file.write(Self.line(row))
  }

  public func finish() {}

  /// Returns a row in one line. Line breaks of a text stay inside its quotes.
  static func line(_ row: [TableValue]) -> String {
    row.map(field).joined(separator: ",")
  }

  private static func field(_ value: TableValue) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .real(let number): number.isFinite ? "\(number)" : ""
    case .truth(let flag): flag ? "1" : "0"
    case .missing: ""
    case .text(let text): quoted(text)
    }
  }

  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2c, 0x0a, 0x0d].contains($0) }) else { return text }
    // Characters of Unicode would hide a quotation mark that is followed by a combining mark.
    var bytes: [UInt8] = [0x22]
    for byte in text.utf8 {
      if byte == 0x22 { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(0x22)
    return String(decoding: bytes, as: UTF8.self)
  }
}
