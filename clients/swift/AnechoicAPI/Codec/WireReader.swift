/// The encoding of a protobuf field's value.
package enum WireType: UInt8 {
  case varint = 0
  case fixed64 = 1
  case lengthDelimited = 2
  case fixed32 = 5
}

/// The key before each field of a protobuf message.
struct WireKey: Equatable {
  let field: Int
  let wireType: WireType

  init(_ field: Int, _ wireType: WireType) {
    self.field = field
    self.wireType = wireType
  }
}

/// A reader of protobuf's wire format, https://protobuf.dev/programming-guides/encoding, in place.
/// Every function returns nil for malformed bytes.
struct WireReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func readVarint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      guard shift < 63 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  mutating func readKey() -> WireKey? {
    guard let value = readVarint(), value >> 3 != 0, value >> 3 < 1 << 29,
      let wireType = WireType(rawValue: UInt8(value & 7))
    else { return nil }
    return WireKey(Int(value >> 3), wireType)
  }

  /// Reads the bits of a value of four bytes.
  mutating func readFixed32() -> UInt32? {
    guard bytes.count - position >= 4 else { return nil }
    defer { position += 4 }
    return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
  }

  mutating func readBytes() -> UnsafeRawBufferPointer? {
    guard let count = readVarint(), count <= UInt64(bytes.count - position) else { return nil }
    defer { position += Int(count) }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(count)])
  }
}
