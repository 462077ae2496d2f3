public import CommandLineSupport

/// A table of comma-separated values, https://www.rfc-editor.org/rfc/rfc4180, with a first line of
/// names. Each row is written at once, and a missing value is empty.
public final class CSVFile: TableFile {
  private let file: LineFile
  private let kinds: [TableColumn.Kind]

  /// Opens the file and writes the line of names.
  public init(_ path: String, _ columns: [TableColumn]) throws(CommandError) {
    kinds = columns.map(\.kind)
    file = try LineFile(path)
    try file.write(columns.map { Self.quoted($0.name) }.joined(separator: ","))
  }

  public func append(_ row: [TableValue]) throws(CommandError) {
    try file.write(zip(row, kinds).map(Self.field).joined(separator: ","))
  }

  public func finish() {}

  private static func field(_ value: TableValue, _ kind: TableColumn.Kind) -> String {
    switch value {
    // A number of 32 bits has no insignificant digits.
    case .real(let number) where kind == .level: number.isFinite ? "\(Float(number))" : ""
    case .integer(let number): "\(number)"
    case .real(let number): number.isFinite ? "\(number)" : ""
    case .truth(let flag): flag ? "1" : "0"
    case .missing: ""
    case .text(let text): quoted(text)
    }
  }

  /// Returns a text in quotes, if it needs them. Its line breaks stay inside.
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
