internal import CZlib

/// A picture with a palette of 256 colours, https://www.w3.org/TR/png-3/.
package struct PNGImage {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  /// Eight bits for a pixel, and each is an index into the palette.
  private static let depthAndColorType: [UInt8] = [8, 3, 0, 0, 0]

  /// The bytes of the file.
  package let bytes: [UInt8]

  /// Creates a picture of rows from the top. `indices` has a color of the palette for each pixel,
  /// and `palette` has red, green and blue for each color.
  package init(width: Int, height: Int, indices: [UInt8], palette: [UInt8]) {
    precondition(indices.count == width * height && width > 0 && height > 0)
    var rows: [UInt8] = []
    rows.reserveCapacity(indices.count + height)
    for row in 0..<height {
      rows.append(0)  // No filter.
      rows += indices[row * width..<(row + 1) * width]
    }
    bytes =
      Self.signature
      + Self.chunk("IHDR", Self.bigEndian(width) + Self.bigEndian(height) + Self.depthAndColorType)
      + Self.chunk("PLTE", palette) + Self.chunk("IDAT", Self.deflated(rows))
      + Self.chunk("IEND", [])
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(data.count) + body + bigEndian(Int(crc32(0, body, uInt(body.count))))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(count))
    let status = compress2(&result, &count, bytes, uLong(bytes.count), Z_BEST_COMPRESSION)
    precondition(status == Z_OK, "compressBound was too small")
    return Array(result.prefix(Int(count)))
  }
}
