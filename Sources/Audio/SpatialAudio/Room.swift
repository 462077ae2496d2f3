/// The walls of a small room: 6 m long, 5 m wide and 2.8 m high, with the listener's head at a height of
/// 1.2 m and not in the middle.
///
/// The first reflections are the sounds of image sources, one behind each of the six surfaces (J. B.
/// Allen and D. A. Berkley, "Image method for efficiently simulating small-room acoustics", 1979).
enum Room {
  static let reflectionCount = 6
  /// The distances from the head to the surfaces on the negative and on the positive side, in metres.
  private static let low = SIMD3<Float>(-2.6, -2.2, -1.2)
  private static let high = SIMD3<Float>(3.4, 2.8, 1.6)
  private static let clearance: Float = 0.1
  /// The part of the amplitude that a surface reflects.
  static let reflection: Float = 0.6
  /// Surfaces absorb more above this frequency.
  static let cutoff: Float = 4_000
  static let metresPerSecond: Float = 343
  /// The longest way of a reflection beyond the direct way, in metres: at most to a surface and back.
  static let longestDetour: Float = 7

  /// Returns the place of a source as far as it is inside of the room.
  static func inside(_ place: SIMD3<Float>) -> SIMD3<Float> {
    let margin = SIMD3<Float>(repeating: clearance)
    return place.clamped(lowerBound: low + margin, upperBound: high - margin)
  }

  /// Returns the image of a place inside of the room in one of the six surfaces.
  static func image(_ place: SIMD3<Float>, surface: Int) -> SIMD3<Float> {
    let axis = surface / 2
    var image = place
    image[axis] = 2 * (surface.isMultiple(of: 2) ? low : high)[axis] - place[axis]
    return image
  }
}
