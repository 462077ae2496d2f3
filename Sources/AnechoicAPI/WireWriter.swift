/// Writes protobuf's wire format, https://protobuf.dev/programming-guides/encoding, into bytes that
/// are there already. A length stands before its content, so it is computed first.
struct WireWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  static func size(ofVarint value: UInt64) -> Int {
    max(1, (64 - value.leadingZeroBitCount + 6) / 7)
  }

  /// Of a field below 16 with its key and length.
  static func size(ofBytes count: Int) -> Int { 1 + size(ofVarint: UInt64(count)) + count }

  mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count += 1
      rest >>= 7
    }
    bytes[count] = UInt8(rest)
    count += 1
  }

  /// `field` is below 16, so that the key is one byte.
  mutating func writeKey(_ field: Int, _ wireType: WireType) {
    bytes[count] = UInt8(field << 3) | wireType.rawValue
    count += 1
  }

  mutating func writeLength(_ field: Int, _ length: Int) {
    writeKey(field, .lengthDelimited)
    writeVarint(UInt64(length))
  }

  mutating func writeBytes(_ content: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: content)
    count += content.count
  }

  mutating func writeFloat(_ field: Int, _ value: Float) {
    writeKey(field, .fixed32)
    bytes.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: count, as: UInt32.self)
    count += 4
  }

  mutating func writeTrue(_ field: Int) {
    writeKey(field, .varint)
    writeVarint(1)
  }
}
