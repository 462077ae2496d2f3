#if canImport(Glibc)
  internal import Glibc
#endif

/// The orientation of the listener's head: the rotation that takes the axes of the room, in which
/// sources are placed, to those of the head.
public struct HeadPose: Sendable, Equatable {
  /// The unit quaternion w + xi + yj + zk.
  private let w: Float
  private let vector: SIMD3<Float>

  /// The head looks straight ahead.
  public static let ahead = HeadPose(w: 1, vector: .zero)

  /// The lengths of quaternions that are accepted and scaled to 1.
  public static let lengths: ClosedRange<Float> = 0.5...2
  /// The angles that are accepted, in degrees.
  public static let angles: ClosedRange<Float> = -360...360

  private init(w: Float, vector: SIMD3<Float>) {
    self.w = w
    self.vector = vector
  }

  /// Creates the pose of a quaternion. Returns nil unless its length is in `lengths`.
  public init?(w: Float, x: Float, y: Float, z: Float) {
    let length = (w * w + x * x + y * y + z * z).squareRoot()
    guard Self.lengths.contains(length) else { return nil }
    self.init(w: w / length, vector: SIMD3(x, y, z) / length)
  }

  /// Creates a pose of angles in degrees. The head turns left by `yaw`, then looks up by `pitch`, then
  /// tilts to the right by `roll`. Returns nil unless all are in `angles`.
  public init?(yaw: Float, pitch: Float, roll: Float) {
    guard Self.angles.contains(yaw), Self.angles.contains(pitch), Self.angles.contains(roll) else {
      return nil
    }
    func turn(_ degrees: Float, _ axis: SIMD3<Float>) -> HeadPose {
      let half = degrees * .pi / 360
      return HeadPose(w: cosf(half), vector: sinf(half) * axis)
    }
    self = turn(yaw, [0, 0, 1]).followed(by: turn(pitch, [0, -1, 0]))
      .followed(by: turn(roll, [1, 0, 0]))
  }

  /// Returns this rotation with another one after it, about the axes that this one has turned.
  private func followed(by other: HeadPose) -> HeadPose {
    let (a, b) = (vector, other.vector)
    return HeadPose(
      w: w * other.w - (a * b).sum(), vector: w * b + other.w * a + Self.cross(a, b))
  }

  /// Returns a place in the room as the head sees it: rotated inversely.
  func toHead(_ place: SIMD3<Float>) -> SIMD3<Float> {
    let twice = 2 * Self.cross(-vector, place)
    return place + w * twice + Self.cross(-vector, twice)
  }

  private static func cross(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}
