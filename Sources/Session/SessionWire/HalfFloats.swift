internal import AnechoicAPI
internal import Foundation

/// Numbers as 16-bit little-endian floats, IEEE 754 binary16.
enum HalfFloats {
  static func data(_ values: [Float]) -> Data {
    values.map { Float16($0).bitPattern.littleEndian }.withUnsafeBytes { Data($0) }
  }

  /// Returns the values of bytes. Throws where they are none, or not finite.
  static func values(
    _ data: Data, atMost limit: Int, path: String
  ) throws(InvalidFieldError) -> [Float] {
    guard data.count <= limit else {
      throw InvalidFieldError(path, "has \(data.count) bytes; at most \(limit) are allowed")
    }
    guard data.count.isMultiple(of: 2) else {
      throw InvalidFieldError(
        path, "has \(data.count) bytes; 16-bit floats have an even number of them")
    }
    let values = data.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 2).map { offset in
        let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        return Float(Float16(bitPattern: UInt16(littleEndian: bits)))
      }
    }
    guard values.allSatisfy(\.isFinite) else {
      throw InvalidFieldError(path, "has values that are not finite numbers")
    }
    return values
  }
}
