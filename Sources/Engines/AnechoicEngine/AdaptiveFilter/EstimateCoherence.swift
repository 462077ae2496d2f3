/// The coherence over some frames of the microphone and the echo estimate that a filter makes
/// before it adapts to a frame.
///
/// The coherence is 1 if the signals are equal but for their levels, about a half in double talk
/// with a near voice as loud as the echo, and near 0 if the echo path is one to which the filter
/// has not converged.
struct EstimateCoherence {
  private static let leastPower: Float = 1e-12
  /// The least power of an estimate, by that of the microphone, whose presence is told.
  private static let leastShare: Float = 0.05

  /// The means of the last frames: of the cross-spectrum, and of the power of each signal.
  private struct Means {
    /// The part of the past that a frame replaces.
    let rate: Float
    private(set) var cross: Float = 0
    private(set) var microphone: Float = 0
    private(set) var estimate: Float = 0

    init(rate: Float) { self.rate = rate }

    mutating func add(cross: Float, microphone: Float, estimate: Float) {
      self.cross += rate * (cross - self.cross)
      self.microphone += rate * (microphone - self.microphone)
      self.estimate += rate * (estimate - self.estimate)
    }
  }

  /// 0.25 s count for the coherence, and 0.04 s for the presence.
  private var long = Means(rate: 0.04)
  private var short = Means(rate: 0.25)

  /// Adds a frame: the sums over all bins of the real cross-spectrum of microphone and estimate,
  /// and of the power of each. Runs per frame: no allocation, lock, log or await.
  mutating func add(product: Float, microphonePower: Float, estimatePower: Float) {
    long.add(cross: product, microphone: microphonePower, estimate: estimatePower)
    short.add(cross: product, microphone: microphonePower, estimate: estimatePower)
  }

  /// The part of the estimate that is in the microphone: about 1 while the filter fits the echo path,
  /// whatever else the microphone hears, and about 0 once the echo comes another way. Nil if the estimate
  /// is too soft for that.
  var presence: Float? {
    short.estimate > max(Self.leastShare * short.microphone, Self.leastPower)
      ? short.cross / short.estimate : nil
  }

  /// The coherence, 0...1: the part of the microphone's power that the estimate predicts. For an
  /// estimate in opposite phase the coherence is 0.
  var value: Float {
    let scale = long.microphone * long.estimate
    guard long.cross > 0, scale > Self.leastPower * Self.leastPower else { return 0 }
    return min(long.cross * long.cross / scale, 1)
  }
}
