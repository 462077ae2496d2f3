internal import LinuxSystem

/// Trained weights by name, as `training/export.py` writes them:
///
/// | bytes | content |
/// |---|---|
/// | 8 | `ANECHOIC` |
/// | 4 | the version of the format, little-endian as all numbers |
/// | 4 | the number of tensors |
/// | 4 + n | for each tensor: the length of its name, and the name in ASCII |
/// | 4 | the number of its values; its highest bit is 1 if they are f16 |
/// | 4 each, or 2 | its values, as f32 or f16 |
/// | 32 | the SHA-256 digest of all bytes before it |
package struct WeightFile: Sendable {
  package struct FormatError: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  private static let magic = Array("ANECHOIC".utf8)
  private static let version: UInt32 = 2
  private static let halfPrecision: UInt32 = 1 << 31

  private let tensors: [String: [Float]]

  package init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    var reader = Reader(bytes: bytes)
    guard try reader.bytes(8).elementsEqual(Self.magic) else {
      throw FormatError(description: "the weights do not start with ANECHOIC")
    }
    let version = try reader.number()
    guard version == Self.version else {
      throw FormatError(
        description: "the weights have version \(version) of the format; use \(Self.version)")
    }
    var tensors: [String: [Float]] = [:]
    for _ in 0..<(try reader.number()) {
      let name = String(decoding: try reader.bytes(Int(try reader.number())), as: UTF8.self)
      let count = try reader.number()
      tensors[name] =
        count & Self.halfPrecision == 0
        ? try reader.floats(Int(count)) : try reader.halves(Int(count ^ Self.halfPrecision))
    }
    let content = UnsafeRawBufferPointer(rebasing: bytes.prefix(reader.position))
    guard try reader.bytes(SHA256.size).elementsEqual(SHA256.digest(of: content)) else {
      throw FormatError(description: "the weights are damaged: their SHA-256 digest is another")
    }
    guard reader.isAtEnd else {
      throw FormatError(description: "bytes follow the digest of the weights")
    }
    self.tensors = tensors
  }

  /// Returns the values of a tensor, which must have `count` of them.
  package func values(_ name: String, count: Int) throws(FormatError) -> [Float] {
    guard let values = tensors[name] else {
      throw FormatError(description: "the weights lack \(name)")
    }
    guard values.count == count else {
      throw FormatError(description: "\(name) has \(values.count) weights; expected \(count)")
    }
    return values
  }

  /// Returns a layer for one column, whose weights and bias have these names, with an end behind both.
  package func layer(
    _ name: String, _ end: String, _ outputs: Int, _ inputs: Int
  ) throws(FormatError) -> Layer {
    Layer(
      weights: try values("\(name).weight\(end)", count: outputs * inputs),
      bias: try values("\(name).bias\(end)", count: outputs), inputsOfOneColumn: inputs)
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func bytes(_ count: Int) throws(FormatError) -> Slice<UnsafeRawBufferPointer> {
      guard count >= 0, count <= bytes.count - position else {
        throw FormatError(description: "the weights are truncated at byte \(bytes.count)")
      }
      defer { position += count }
      return bytes[position..<position + count]
    }

    mutating func number() throws(FormatError) -> UInt32 {
      let four = UnsafeRawBufferPointer(rebasing: try bytes(4))
      return UInt32(littleEndian: four.loadUnaligned(as: UInt32.self))
    }

    mutating func floats(_ count: Int) throws(FormatError) -> [Float] {
      try values(count) { (bits: UInt32) in Float(bitPattern: UInt32(littleEndian: bits)) }
    }

    mutating func halves(_ count: Int) throws(FormatError) -> [Float] {
      try values(count) { (bits: UInt16) in
        Float(Float16(bitPattern: UInt16(littleEndian: bits)))
      }
    }

    private mutating func values<Bits: BitwiseCopyable>(
      _ count: Int, _ value: (Bits) -> Float
    ) throws(FormatError) -> [Float] {
      let size = MemoryLayout<Bits>.size
      guard count <= bytes.count / size else {
        throw FormatError(description: "the weights are truncated at byte \(bytes.count)")
      }
      let memory = UnsafeRawBufferPointer(rebasing: try bytes(size * count))
      var values: [Float] = []
      values.reserveCapacity(count)
      for index in 0..<count {
        let value = value(memory.loadUnaligned(fromByteOffset: size * index, as: Bits.self))
        guard value.isFinite else {
          throw FormatError(description: "a weight is not a finite number")
        }
        values.append(value)
      }
      return values
    }
  }
}
