/// The id of a trace: 128 bits, of which some are set.
public struct TraceID: Sendable, Hashable, CustomStringConvertible {
  /// The upper and the lower half.
  public let high: UInt64
  public let low: UInt64

  private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// Creates an id from 32 hexadecimal digits in lower case. Returns nil for any other text.
  public init?(_ text: String) {
    self.init(Array(text.utf8)[...])
  }

  init?(_ digits: ArraySlice<UInt8>) {
    guard digits.count == 32, let high = hexadecimal(digits.prefix(16)),
      let low = hexadecimal(digits.suffix(16)), high != 0 || low != 0
    else { return nil }
    (self.high, self.low) = (high, low)
  }

  /// Returns a random id.
  public static func random() -> TraceID {
    TraceID(high: .random(in: 0 ... .max), low: .random(in: 1 ... .max))
  }

  public var description: String { TraceParent.digits(high) + TraceParent.digits(low) }
}

/// The span that has caused a call, as the header `traceparent` names it:
/// `VERSION-TRACE-SPAN-FLAGS` of W3C Trace Context, https://www.w3.org/TR/trace-context.
public struct TraceParent: Sendable, Equatable, CustomStringConvertible {
  public static let header = "traceparent"

  public let trace: TraceID
  public let span: UInt64
  /// Whether the caller records the trace.
  public let isSampled: Bool

  public init(trace: TraceID, span: UInt64, isSampled: Bool) {
    (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
  }

  /// Reads a header. Returns nil for another form, and for ids of zeros, which the standard
  /// forbids.
  public init?(_ text: String) { self.init(Array(text.utf8)) }

  init?(_ header: [UInt8]) {
    let parts = header.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].count == 2, parts[2].count == 16, parts[3].count == 2,
      let version = hexadecimal(parts[0]), version != 0xFF, version != 0 || parts.count == 4,
      let trace = TraceID(parts[1]), let span = hexadecimal(parts[2]), span != 0,
      let flags = hexadecimal(parts[3])
    else { return nil }
    self.init(trace: trace, span: span, isSampled: flags & 1 != 0)
  }

  public var description: String {
    "00-\(trace)-\(Self.digits(span))-\(isSampled ? "01" : "00")"
  }

  /// Returns the 16 hexadecimal digits of half an id of a trace, or of the id of a span.
  public static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Returns the number of at most 16 hexadecimal digits in lower case, or nil for other bytes.
private func hexadecimal(_ digits: some Sequence<UInt8>) -> UInt64? {
  var number: UInt64 = 0
  for digit in digits {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - 48)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - 87)
    default: return nil
    }
  }
  return number
}
