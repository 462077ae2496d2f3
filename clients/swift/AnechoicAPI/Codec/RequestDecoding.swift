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

  /// Returns the bytes of `start.echo_path_hint.response` in a request, or 0 where there are none, or
  /// where more fields than a decodable request can contain come before their end.
  public static func responseSize(_ message: UnsafeRawBufferPointer) -> Int {
    var fieldsLeft = largest / smallestField
    return sum(of: [2, 13, 5], in: message, &fieldsLeft) ?? 0
  }

  /// The size in bytes of a field without content.
  private static let smallestField = 2

  /// Adds up the sizes of all fields at a path of numbers. Returns nil if there are more fields, of any
  /// number, than are left, or a field is not readable.
  private static func sum(
    of path: ArraySlice<Int>, in message: UnsafeRawBufferPointer, _ fieldsLeft: inout Int
  ) -> Int? {
    guard let field = path.first else { return message.count }
    var reader = WireReader(message)
    var sum = 0
    while !reader.isAtEnd, let key = reader.readKey() {
      guard fieldsLeft > 0 else { return nil }
      fieldsLeft -= 1
      switch key.wireType {
      case .varint: guard reader.readVarint() != nil else { return nil }
      case .lengthDelimited:
        guard let bytes = reader.readBytes() else { return nil }
        guard key.field == field else { continue }
        guard let size = Self.sum(of: path.dropFirst(), in: bytes, &fieldsLeft) else { return nil }
        sum += size
      case .fixed32, .fixed64: return nil
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
