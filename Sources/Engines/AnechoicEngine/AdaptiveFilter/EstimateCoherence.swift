/// The coherence over some frames of the microphone and the echo estimate that a filter makes
/// before it adapts to a frame.
///
/// The coherence is 1 if the signals are equal but for their levels, about a half in double talk
/// with a near voice as loud as the echo, and near 0 if the echo path is one to which the filter
/// has not converged.
struct EstimateCoherence {
  /// The part of the past that a frame replaces: 0.25 s count, and 0.07 s for the presence.
  private static let rate: Float = 0.04
  private static let presenceRate: Float = 0.25
  private static let leastPower: Float = 1e-12
  /// The least power of an estimate, by that of the microphone, whose presence is told.
  private static let leastShare: Float = 0.05

  private var cross: Float = 0
  private var microphonePower: Float = 0
  private var estimatePower: Float = 0
  /// The same of fewer frames.
  private var recent: (cross: Float, microphone: Float, estimate: Float) = (0, 0, 0)

  /// Adds a frame: the sums over all bins of the real cross-spectrum of microphone and estimate,
  /// and of the power of each. Runs per frame: no allocation, lock, log or await.
  mutating func add(
    product: Float, microphonePower newMicrophone: Float, estimatePower newEstimate: Float
  ) {
    cross += Self.rate * (product - cross)
    microphonePower += Self.rate * (newMicrophone - microphonePower)
    estimatePower += Self.rate * (newEstimate - estimatePower)
    recent.cross += Self.presenceRate * (product - recent.cross)
    recent.microphone += Self.presenceRate * (newMicrophone - recent.microphone)
    recent.estimate += Self.presenceRate * (newEstimate - recent.estimate)
  }

  /// The part of the estimate that is in the microphone: about 1 while the filter fits the echo path,
  /// whatever else the microphone hears, and about 0 once the echo comes another way. Nil if the estimate
  /// is too soft for that.
  var presence: Float? {
    recent.estimate > max(Self.leastShare * recent.microphone, Self.leastPower)
      ? recent.cross / recent.estimate : nil
  }

  /// The coherence, 0...1: the part of the microphone's power that the estimate predicts. For an
  /// estimate in opposite phase the coherence is 0.
  var value: Float {
    let scale = microphonePower * estimatePower
    guard cross > 0, scale > Self.leastPower * Self.leastPower else { return 0 }
    return min(cross * cross / scale, 1)
  }
}
