internal import CommandLineSupport

/// A file with headers of HTTP, one in a line. Empty lines, and lines that begin with "#", do not count, nor does
/// blank space around a line.
enum HeaderFile {
  /// The maximum number of headers.
  static let most = 16
  /// The headers that a request has already, in lower case.
  private static let taken: Set = [
    "content-length", "content-type", "expect", "host", "transfer-encoding",
  ]

  /// Returns the headers, as `Name: value`.
  static func lines(of path: String) throws(CommandError) -> [String] {
    var headers: [String] = []
    let lines = try SettingsFile.text(of: path).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = trimmed(line)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let header = header(line) else {
        // Without the line, which may have a secret.
        throw CommandError("\(path):\(index + 1): is not \"Name: value\" in ASCII")
      }
      guard !taken.contains(header.name.lowercased()) else {
        throw CommandError(
          "\(path):\(index + 1): \(header.name) is set by the server; leave it out")
      }
      headers.append("\(header.name): \(header.value)")
    }
    guard !headers.isEmpty else {
      throw CommandError("\(path): has no headers; write \"Name: value\" in a line for each")
    }
    guard headers.count <= most else {
      throw CommandError("\(path): has \(headers.count) headers; the limit is \(most)")
    }
    return headers
  }

  private static func header(_ line: Substring) -> (name: Substring, value: Substring)? {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty,
      parts[0].utf8.allSatisfy({ byte in
        (0x21...0x7E).contains(byte) && !#"()<>@,;:\"/[]?={}"#.utf8.contains(byte)
      }), parts[1].utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 9 })
    else { return nil }
    let value = trimmed(parts[1])
    return value.isEmpty ? nil : (parts[0], value)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
    let rest = text.drop(while: isBlank)
    guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return rest.prefix(0) }
    return rest[...last]
  }
}
