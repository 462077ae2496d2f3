/// The colours of levels: matplotlib's magma (public domain, CC0), whose lightness grows evenly with
/// the level.
enum ColorMap {
  /// Colours at equal distances, in sRGB.
  private static let stops: [UInt32] = [
    0x000004, 0x0a0822, 0x1d1147, 0x36106b, 0x51127c, 0x6a1c81, 0x832681, 0x9c2e7f, 0xb73779,
    0xd0416f, 0xe75263, 0xf56b5c, 0xfc8961, 0xfea772, 0xfec488, 0xfde2a3, 0xfcfdbf,
  ]

  /// The number of colours of a picture.
  static let colorCount = 256

  /// The red, green and blue of each colour of a picture.
  static let palette: [UInt8] = (0..<colorCount).flatMap { index -> [UInt8] in
    let place = Double(index * (stops.count - 1)) / Double(colorCount - 1)
    let first = min(Int(place), stops.count - 2)
    let share = place - Double(first)
    return [16, 8, 0].map { shift in
      let (low, high) = (stops[first] >> shift & 0xff, stops[first + 1] >> shift & 0xff)
      return UInt8((Double(low) * (1 - share) + Double(high) * share).rounded())
    }
  }

  /// The colours for a gradient, each with its place, 0...1.
  static let gradient: [(place: Double, color: String)] = stops.enumerated().map { index, color in
    let digits = String(color, radix: 16)
    return (
      Double(index) / Double(stops.count - 1),
      "#" + String(repeating: "0", count: 6 - digits.count) + digits
    )
  }
}
