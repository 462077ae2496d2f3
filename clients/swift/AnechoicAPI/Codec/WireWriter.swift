/// A writer of protobuf's wire format, https://protobuf.dev/programming-guides/encoding, into
/// memory that the caller provides. A length precedes its content, so the caller computes sizes
/// first.
package struct WireWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  package private(set) var count = 0

  package init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  package static func size(ofVarint value: UInt64) -> Int {
    max(1, (64 - value.leadingZeroBitCount + 6) / 7)
  }

  /// Returns the size of a length-delimited field below 16, with its key and length.
  package static func size(ofBytes count: Int) -> Int { 1 + size(ofVarint: UInt64(count)) + count }

  package mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count += 1
      rest >>= 7
    }
    bytes[count] = UInt8(rest)
    count += 1
  }

  /// Writes a key of one byte: `field` must be below 16.
  package mutating func writeKey(_ field: Int, _ wireType: WireType) {
    bytes[count] = UInt8(field << 3) | wireType.rawValue
    count += 1
  }

  package mutating func writeLength(_ field: Int, _ length: Int) {
    writeKey(field, .lengthDelimited)
    writeVarint(UInt64(length))
  }

  package mutating func writeBytes(_ content: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: content)
    count += content.count
  }

  package mutating func writeFloat(_ field: Int, _ value: Float) {
    writeKey(field, .fixed32)
    bytes.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: count, as: UInt32.self)
    count += 4
  }

  package mutating func writeTrue(_ field: Int) {
    writeKey(field, .varint)
    writeVarint(1)
  }
}
