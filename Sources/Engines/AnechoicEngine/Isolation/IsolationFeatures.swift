internal import AudioCore
internal import CKernels

#if canImport(Glibc)
  internal import Glibc
#endif

/// The inputs of the isolation networks: the level of each band relative to the loudness of the
/// loudest recent voice, and the level of each group of bands relative to its mean of the last
/// 100 ms, which tells how a room decays. They do not depend on the level of a call.
/// `training/isolation/inputs.py` computes the same.
struct IsolationFeatures: ~Copyable {
  static let count = Bands.count + groups
  private static let bandsOfGroup = 4
  private static let groups = Bands.count / bandsOfGroup
  /// How fast the power of a frame and the level of a group are followed.
  private static let smoothing: Float = 0.2
  private static let following: Float = 0.1
  /// The part of the difference by which the logarithm of the loudness rises in a frame.
  private static let rise: Float = 0.04
  /// The loudness with which a call begins, and the least: -70 and -80 dBFS.
  private static let firstLoudness: Float = 1e-7
  private static let leastLoudness: Float = 1e-8
  /// The part of the smoothed power, -18 dB, that the loudness has at least, so that it follows a
  /// sudden voice at once.
  private static let leastShare: Float = 1 / 64
  /// The power, by the loudness, below which levels do not tell anything: -60 dB.
  private static let smallest: Float = 1e-6
  private static let leastLevel = log(smallest) / 4 + 1.5

  /// How much the logarithm of the loudness falls in a frame. While other voices talk beside the kept one,
  /// it does not: a television is not the loudest recent voice because nobody else talks for a moment.
  enum Fall: Float {
    case none = 0
    /// 0.3 dB a second, while the kept voice talks.
    case slow = 0.0007
    /// 6 dB a second, when only other voices have talked for some time.
    case fast = 0.014
  }

  private let kernels: Kernels
  private let memory: FloatBuffer
  private let powers: UnsafeMutablePointer<Float>
  private let means: UnsafeMutablePointer<Float>
  private let values: UnsafeMutablePointer<Float>
  private var smooth: Float = 0
  private var loudness: Float = 0

  init(kernels: Kernels) {
    self.kernels = kernels
    memory = FloatBuffer(Bands.count + Kernels.padded(Self.groups) + Kernels.padded(Self.count))
    powers = memory.start
    means = powers + Bands.count
    values = means + Kernels.padded(Self.groups)
    reset()
  }

  /// The features of the last frame: `count` values.
  var current: UnsafePointer<Float> { UnsafePointer(values) }

  /// Resets the features to the beginning of a call. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func reset() {
    smooth = 0
    loudness = log(Self.firstLoudness)
    means.update(repeating: Self.leastLevel, count: Self.groups)
  }

  /// Computes the features of a frame from the powers of the bands and gains that apply to them
  /// before. Runs per frame: no allocation, lock, log or await.
  mutating func compute(
    _ bands: UnsafePointer<Float>, gains: UnsafePointer<Float>, fall: Fall = .slow
  ) {
    for band in 0..<Bands.count { powers[band] = bands[band] * gains[band] * gains[band] }
    follow(FloatBuffer.mean(powers, Bands.count), fall)
    let scale = exp(-loudness)
    for band in 0..<Bands.count { powers[band] *= scale }
    kernels.table.logarithm(powers, Self.smallest, values, Int32(Bands.count))
    for band in 0..<Bands.count { values[band] = values[band] / 4 + 1.5 }
    for group in 0..<Self.groups {
      let level = FloatBuffer.mean(values + group * Self.bandsOfGroup, Self.bandsOfGroup)
      means[group] += Self.following * (level - means[group])
      values[Bands.count + group] = level - means[group]
    }
  }

  private mutating func follow(_ power: Float, _ fall: Fall) {
    smooth += Self.smoothing * (power - smooth)
    let level = log(smooth + 1e-12)
    let difference = level - loudness
    loudness += difference > 0 ? Self.rise * difference : -fall.rawValue
    loudness = max(loudness, log(Self.leastLoudness), level + log(Self.leastShare))
  }
}
