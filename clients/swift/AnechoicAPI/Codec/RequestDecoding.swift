public import SwiftProtobuf

extension BinaryDecodingOptions {
  /// The options for the requests of clients. Unknown fields are dropped, because keeping them
  /// would cost memory and nothing reads them.
  public static var request: BinaryDecodingOptions {
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = true
    return options
  }
}

/// The size of a request from a client.
public enum RequestSize {
  /// The maximum size in bytes of a request without audio. The largest useful request, a start or a
  /// change with all labels, has about 24 KiB. A request can contain a field in every two bytes,
  /// and each field costs microseconds.
  public static let largest = 32 << 10

  /// The maximum size in bytes of the response of an echo path in a start, which comes on top: twice that
  /// of two channels at 48 kHz. Bytes cost nothing to decode.
  public static let largestResponse = 192 << 10

  /// Returns whether a `ProcessRequest` is small enough to be decoded.
  public static func isDecodable(_ message: UnsafeRawBufferPointer) -> Bool {
    guard message.count > largest else { return true }
    let response = responseSize(message)
    return response <= largestResponse && message.count - response <= largest
  }

  /// Returns the bytes of `start.echo_path_hint.response` in a request, or 0 where there are none.
  public static func responseSize(_ message: UnsafeRawBufferPointer) -> Int {
    sum(of: 2, in: message) { sum(of: 13, in: $0) { sum(of: 5, in: $0) { $0.count } } }
  }

  /// Adds up a value of all fields with this number, which contain bytes or a message.
  private static func sum(
    of field: Int, in message: UnsafeRawBufferPointer, _ value: (UnsafeRawBufferPointer) -> Int
  ) -> Int {
    var reader = WireReader(message)
    var sum = 0
    while !reader.isAtEnd, let key = reader.readKey() {
      switch key.wireType {
      case .varint: guard reader.readVarint() != nil else { return 0 }
      case .lengthDelimited:
        guard let bytes = reader.readBytes() else { return 0 }
        if key.field == field { sum += value(bytes) }
      case .fixed32, .fixed64: return 0
      }
    }
    return sum
  }
}

/// The beginning of a `ProcessRequest` with a control, read in place: enough to refuse a control that is
/// too large to be decoded.
public struct ControlHead {
  /// 0 if the control does not begin with its id.
  public let controlID: UInt64

  /// Reads a message. Returns nil if the message contains anything but one control.
  public init?(_ message: UnsafeRawBufferPointer) {
    var reader = WireReader(message)
    guard reader.readKey() == WireKey(4, .lengthDelimited), let control = reader.readBytes(),
      reader.isAtEnd
    else { return nil }
    var fields = WireReader(control)
    controlID = fields.readKey() == WireKey(1, .varint) ? fields.readVarint() ?? 0 : 0
  }
}
