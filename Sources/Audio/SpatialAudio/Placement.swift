#if canImport(Glibc)
  internal import Glibc
#endif

/// The place of a source around the listener: as AES69 counts it, the x axis points ahead, the y axis
/// to the left and the z axis up, and the head is at the origin.
public struct Placement: Sendable, Equatable {
  /// Degrees. 0 is straight ahead, 90 is to the left.
  public static let azimuths: ClosedRange<Float> = -360...360
  /// Degrees. 90 is straight up.
  public static let elevations: ClosedRange<Float> = -90...90
  /// Metres. A nearer source would be inside the head.
  public static let distances: ClosedRange<Float> = 0.1...100

  public let azimuth: Float
  public let elevation: Float
  public let distance: Float

  /// A source one metre ahead.
  public static let ahead = Placement(azimuth: 0, elevation: 0, distance: 1)

  /// Creates a placement. Values out of range are limited, and values that are no numbers are replaced
  /// by those of `ahead`.
  public init(azimuth: Float, elevation: Float, distance: Float) {
    self.azimuth = Self.limit(azimuth, Self.azimuths, 0)
    self.elevation = Self.limit(elevation, Self.elevations, 0)
    self.distance = Self.limit(distance, Self.distances, 1)
  }

  private static func limit(
    _ value: Float, _ range: ClosedRange<Float>, _ otherwise: Float
  ) -> Float {
    value.isNaN ? otherwise : max(range.lowerBound, min(range.upperBound, value))
  }

  /// The place in metres.
  var vector: SIMD3<Float> {
    let (azimuth, elevation) = (azimuth * .pi / 180, elevation * .pi / 180)
    return distance
      * SIMD3(cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth), sinf(elevation))
  }
}
