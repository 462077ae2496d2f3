import Foundation
import Testing

@testable import anechoic

/// Pictures, read by Debian's Python with a decoder of PNG that checks every sum.
struct PNGTests {
  @Test(arguments: [(1, 1), (7, 3), (1600, 256)])
  func aPictureIsReadBackPixelByPixel(width: Int, height: Int) throws {
    let indices = (0..<width * height).map { place -> UInt8 in
      UInt8(truncatingIfNeeded: place &* 31 &+ place / 256)
    }
    let image = PNGImage(
      width: width, height: height, indices: indices, palette: ColorMap.palette)
    let decoded = try PNGReader(image.bytes)
    #expect(decoded.width == width && decoded.height == height)
    #expect(decoded.palette == ColorMap.palette)
    #expect(decoded.indices == indices)
  }

  @Test func loudSoundsAreLighterAndTheStepsAreEven() {
    let lightness = (0..<256).map { index in
      Self.lightness(Array(ColorMap.palette[index * 3..<index * 3 + 3]))
    }
    let steps = zip(lightness, lightness.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { $0 > 0 && $0 < 0.8 }, "\(steps)")
    #expect(lightness[0] < 1 && lightness[255] > 97)
  }

  @Test func levelsOutsideTheRangeHaveItsLastColours() throws {
    let grid = LevelGrid(columnCount: 2, rowCount: 2, levels: [-200, -20, 10, -60])
    let image = try PNGReader(grid.image(levels: -100...(-20)).bytes)
    // The top row has the second level of each column.
    #expect(image.indices == [255, 128, 0, 255])
  }

  /// Returns CIELAB's L* of a colour in sRGB.
  private static func lightness(_ color: [UInt8]) -> Double {
    let linear = color.map { value -> Double in
      let share = Double(value) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return luminance > 0.008856 ? 116 * cbrt(luminance) - 16 : 903.3 * luminance
  }
}
