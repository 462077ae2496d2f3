/// How well a filter's estimate of the echo, made before the filter learns from a frame, predicts the
/// microphone: the coherence of both signals over some frames.
///
/// The coherence is 1 if the microphone equals the estimate up to a gain. It is about a half beside
/// a near voice as loud as the echo, and near 0 if the echo takes a path that the filter does not
/// know.
struct EstimateCoherence {
  /// The part of the past that a frame replaces: 0.25 s count.
  private static let rate: Float = 0.04
  private static let leastPower: Float = 1e-12

  private var cross: Float = 0
  private var microphonePower: Float = 0
  private var estimatePower: Float = 0

  /// Adds a frame: the sums over all bins of the real cross-spectrum of microphone and estimate, and of the
  /// power of each. Runs per frame: no allocation, lock, log or await.
  mutating func add(product: Float, microphonePower heard: Float, estimatePower estimated: Float) {
    cross += Self.rate * (product - cross)
    microphonePower += Self.rate * (heard - microphonePower)
    estimatePower += Self.rate * (estimated - estimatePower)
  }

  /// The coherence, 0...1: the part of the microphone's power that the estimate explains. An estimate in
  /// opposite phase explains nothing.
  var value: Float {
    let scale = microphonePower * estimatePower
    guard cross > 0, scale > Self.leastPower * Self.leastPower else { return 0 }
    return min(cross * cross / scale, 1)
  }
}
