/// The id with which the lines of a server's log are found that belong to one call.
public enum CorrelationID {
  /// The header in which W3C Trace Context passes on the trace of a request.
  private static let traceParent = "traceparent"
  private static let digits = Set("0123456789abcdef".utf8)

  /// Returns the id of the trace that the client's headers name, or a random id of the same form: 32
  /// hexadecimal digits.
  public static func of(_ metadata: Metadata) -> String {
    metadata.bytes(of: traceParent).flatMap(trace) ?? random()
  }

  /// Returns the trace id of `VERSION-TRACE-PARENT-FLAGS`. Returns nil if the text has another form,
  /// or if the id is all zeros, which the standard forbids.
  private static func trace(_ header: [UInt8]) -> String? {
    let parts = header.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].count == 2, parts[1].count == 32, parts[2].count == 16,
      parts[3].count == 2, parts[0...3].allSatisfy({ $0.allSatisfy(digits.contains) }),
      parts[1].contains(where: { $0 != UInt8(ascii: "0") })
    else { return nil }
    return String(decoding: parts[1], as: UTF8.self)
  }

  private static func random() -> String {
    (0..<4).map { _ in
      let digits = String(UInt32.random(in: 0...UInt32.max), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}
