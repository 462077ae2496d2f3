/// The header of a NumPy array of one dimension, format 1.0:
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
enum NPYHeader {
  /// The length of a header is a multiple of this.
  private static let alignment = 64

  /// Returns the header of `count` values with a type in NumPy's notation, such as `<f4`.
  static func bytes(type: String, count: Int) -> [UInt8] {
    let prefix: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0]
    var text = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(count),), }"
    let length = prefix.count + 2 + text.utf8.count + 1
    text += String(repeating: " ", count: (alignment - length % alignment) % alignment) + "\n"
    let size = UInt16(text.utf8.count)
    return prefix + [UInt8(size & 0xff), UInt8(size >> 8)] + Array(text.utf8)
  }
}

extension TableColumn.Kind {
  /// The type of the values in NumPy's notation, or nil for columns that NPZ files leave out.
  var arrayType: String? {
    switch self {
    case .integer: "<i8"
    case .real: "<f8"
    case .level: "<f4"
    case .truth: "|b1"
    case .word(let longest): "<U\(longest)"
    case .text: nil
    }
  }

  /// Appends a value as NumPy stores it. A value of another kind counts as missing.
  func append(_ value: TableValue, to bytes: inout [UInt8]) {
    switch (self, value) {
    case (.integer, .integer(let number)): Self.append(number, to: &bytes)
    case (.integer, _): Self.append(Int64(0), to: &bytes)
    case (.real, .real(let number)): Self.append(number.bitPattern, to: &bytes)
    case (.real, _): Self.append(Double.nan.bitPattern, to: &bytes)
    case (.level, .real(let number)): Self.append(Float(number).bitPattern, to: &bytes)
    case (.level, _): Self.append(Float.nan.bitPattern, to: &bytes)
    case (.truth, .truth(let flag)): bytes.append(flag ? 1 : 0)
    case (.truth, _): bytes.append(0)
    case (.word(let longest), let value):
      var scalars: [UInt32] = []
      if case .text(let text) = value { scalars = text.unicodeScalars.map(\.value) }
      for index in 0..<longest {
        Self.append(index < scalars.count ? scalars[index] : 0, to: &bytes)
      }
    case (.text, _): break
    }
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
