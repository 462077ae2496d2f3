internal import AudioCore
#if canImport(Glibc)
  internal import Glibc
#endif

/// How one source is to be heard: the parameters of its paths to both ears.
struct Aim: Equatable {
  /// The way of a sound to one ear, in samples and as a factor.
  struct Path: Equatable {
    var delay: Float
    var gain: Float
  }

  var place: HeadRelatedSet.Place
  /// The gain of the source, with that of its distance.
  var gain: Float
  /// The part of a change that the low-pass filter of the air lets through at once.
  var openness: Float
  var delays: (left: Float, right: Float)
  /// The reflections at both ears, silent where they are switched off.
  var left = InlineArray<6, Path>(repeating: Path(delay: 0, gain: 0))
  var right = InlineArray<6, Path>(repeating: Path(delay: 0, gain: 0))

  /// The distance below which a source grows no louder, in metres.
  private static let nearest: Float = 0.25
  /// At 10 kHz, air of 20 °C and 50 % humidity absorbs 3 dB in this distance (ISO 9613-1), and the
  /// absorption grows with the square of the frequency.
  private static let metresOfThreeDecibels: Float = 20

  init(_ setting: SourceSetting, head: HeadPose, _ set: HeadRelatedSet) {
    let hertz = Float(set.rate.hertz)
    let placement = setting.placement
    let vector = placement.vector
    place = set.place(of: head.toHead(vector))
    gain = setting.gain / max(Self.nearest, placement.distance)
    openness = Self.openness(
      10_000 * (Self.metresOfThreeDecibels / placement.distance).squareRoot(), hertz)
    let base = Float(SpatialSource.leastDelay)
    delays = (base + set.onset(place, ear: 0), base + set.onset(place, ear: 1))
    guard setting.hasReflections else { return }
    let source = Room.inside(vector)
    let direct = Self.length(source)
    for surface in 0..<Room.reflectionCount {
      let image = Room.image(source, surface: surface)
      let way = Self.length(image)
      let seen = set.place(of: head.toHead(image))
      let delay = base + max(0, way - direct) / Room.metresPerSecond * hertz
      let level = Room.reflection * direct / max(way, 1e-3)
      left[surface] = Path(
        delay: delay + set.onset(seen, ear: 0), gain: level * set.level(seen, ear: 0))
      right[surface] = Path(
        delay: delay + set.onset(seen, ear: 1), gain: level * set.level(seen, ear: 1))
    }
  }

  /// Returns the coefficient of a low-pass filter of the first order.
  static func openness(_ cutoff: Float, _ hertz: Float) -> Float {
    1 - expf(-2 * .pi * cutoff / hertz)
  }

  private static func length(_ vector: SIMD3<Float>) -> Float {
    (vector * vector).sum().squareRoot()
  }

  static func == (one: Aim, other: Aim) -> Bool {
    guard
      one.place == other.place, one.gain == other.gain, one.openness == other.openness,
      one.delays == other.delays
    else { return false }
    for surface in 0..<Room.reflectionCount {
      guard one.left[surface] == other.left[surface], one.right[surface] == other.right[surface]
      else { return false }
    }
    return true
  }
}

/// The choices of a person or a program for a source.
public struct SourceSetting: Sendable, Equatable {
  public var placement: Placement
  /// A factor.
  public var gain: Float
  /// Whether the first reflections of a small room are heard.
  public var hasReflections: Bool

  public init(placement: Placement = .ahead, gain: Float = 1, hasReflections: Bool = false) {
    self.placement = placement
    self.gain = gain
    self.hasReflections = hasReflections
  }
}
