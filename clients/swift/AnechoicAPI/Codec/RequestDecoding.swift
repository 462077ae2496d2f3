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
