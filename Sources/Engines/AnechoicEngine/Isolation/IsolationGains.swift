internal import AudioCore
internal import CKernels

/// The gains for all voices but the kept one: those of the isolation network, to a power that is the
/// larger the surer it is that the kept voice does not talk. Where it does not know which voice it
/// hears, the network finds a gain between 0 and 1, of which the power makes a decision.
/// `training/isolation/gains.py` computes the same.
struct IsolationGains: ~Copyable {
  /// The exponents if the kept voice surely talks, and if it surely does not. Below 1, the kept voice
  /// loses less, and others beside it stay louder.
  private static let exponents: (talks: Float, isSilent: Float) = (0.5, 5)
  /// The parts of the difference by which the probability rises and falls in a frame.
  private static let rise: Float = 0.5
  private static let fall: Float = 0.1

  private let kernels: Kernels
  private let memory = FloatBuffer(2 * Bands.count)
  private var probability: Float = 1

  init(kernels: Kernels) {
    self.kernels = kernels
    open()
  }

  /// The gains of the last frame.
  var values: UnsafePointer<Float> { UnsafePointer(memory.start) }

  /// Sets all gains to 1. Runs per frame: no allocation, lock, log or await.
  mutating func open() {
    memory.start.update(repeating: 1, count: Bands.count)
    probability = 1
  }

  /// Computes the gains of a frame from those of the network and the probability that the kept voice
  /// talks. Runs per frame: no allocation, lock, log or await.
  mutating func compute(_ gains: UnsafePointer<Float>, probability found: Float) {
    let logarithms = memory.start + Bands.count
    probability += (found > probability ? Self.rise : Self.fall) * (found - probability)
    let (talks, isSilent) = Self.exponents
    let exponent = talks + (isSilent - talks) * (1 - probability)
    kernels.table.logarithm(gains, 1e-9, logarithms, Int32(Bands.count))
    for band in 0..<Bands.count { logarithms[band] *= exponent }
    kernels.table.exponential(logarithms, memory.start, Int32(Bands.count))
  }
}
