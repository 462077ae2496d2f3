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
