internal import CommandLineSupport

/// A file with headers of HTTP, one in a line. Empty lines, and lines that begin with "#", do not count.
enum HeaderFile {
  /// The maximum number of headers.
  static let most = 16

  /// Returns the headers, as `Name: value`.
  static func lines(of path: String) throws(CommandError) -> [String] {
    var headers: [String] = []
    let lines = try SettingsFile.text(of: path).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      guard let header = header(line) else {
        // Without the line, which may have a secret.
        throw CommandError("\(path):\(index + 1): is not \"Name: value\" in ASCII")
      }
      headers.append(header)
    }
    guard headers.count <= most else {
      throw CommandError("\(path): has \(headers.count) headers; the limit is \(most)")
    }
    return headers
  }

  private static func header(_ line: Substring) -> String? {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty,
      parts[0].utf8.allSatisfy({ byte in
        (0x21...0x7E).contains(byte) && !#"()<>@,;:\"/[]?={}"#.utf8.contains(byte)
      }), parts[1].utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 9 })
    else { return nil }
    let value = parts[1].drop { $0 == " " || $0 == "\t" }
    return value.isEmpty ? nil : "\(parts[0]): \(value)"
  }
}
