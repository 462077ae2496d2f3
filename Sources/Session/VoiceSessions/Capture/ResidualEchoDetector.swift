#if canImport(Glibc)
  internal import Glibc
#endif

/// Detects whether the processed output still follows the loudspeaker's signal.
///
/// The levels of both signals, in steps of 20 ms, are correlated over some seconds (a normalised
/// cross-correlation of envelopes) at every lag from -0.5 to 1 s. This also detects an echo that the
/// aligner cannot find, such as one that is heard before its reference arrives. The levels of two people
/// who talk are not correlated in this way.
///
/// An output also does not follow a reference that has gaps. The canceller cannot remove the echo
/// of the missing parts. Echo then counts as left if the output is not much quieter than the
/// microphone.
struct ResidualEchoDetector {
  /// In frames of 10 ms.
  private static let hop = 2
  /// In hops: how far the output may be ahead of the reference, and all lags.
  private static let lead = 25
  private static let lagCount = 76
  /// The weight of a new hop: 8 s count.
  private static let share: Float = 1 / 400
  /// The hops with a reference, 4 s, before which the detector makes no statement.
  private static let leastHops = 200
  /// The hops after the last audible one for which a reference counts as playing.
  private static let tailHops = 50
  /// The levels, in dBFS, below which a signal counts as silent. A quieter echo disturbs nobody.
  private static let referenceFloor: Float = -50
  private static let outputFloor: Float = -55
  /// The least variance of an output that is more than silence, in dB squared.
  private static let leastVariance: Float = 4
  /// Two people who talk at once, or in turns, reached 0.31.
  private static let leastCorrelation: Float = 0.45
  /// The least powers of the output by that of the microphone with which echo is left: by a reference
  /// with gaps, -15 dB, and where the output follows the loudspeaker, -10 dB. The powers are averaged
  /// over 3 s.
  private static let leastLeftByGaps: Float = 0.03
  private static let leastLeft: Float = 0.1
  private static let shareOfFrame: Float = 1 / 300

  /// The levels of the reference over its floor, in a ring.
  private var references = [Float](repeating: 0, count: lagCount)
  private var outputs = [Float](repeating: 0, count: lead)
  private var covariances = [Float](repeating: 0, count: lagCount)
  private var next = 0
  private var nextOutput = 0
  private var reference = Statistics()
  private var output = Statistics()
  private var powers: (reference: Float, output: Float) = (0, 0)
  private var frames = 0
  private var hopsHeard = 0
  private var hopsSinceReference = tailHops
  private var isCorrelated = false
  /// The mean powers while a reference plays.
  private var meanMicrophone: Float = 0
  private var meanOutput: Float = 0

  private struct Statistics {
    var mean: Float = 0
    var variance: Float = 0

    /// Returns how far the value is from the mean.
    mutating func add(_ value: Float, share: Float) -> Float {
      mean += share * (value - mean)
      let deviation = value - mean
      variance += share * (deviation * deviation - variance)
      return deviation
    }
  }

  /// Whether a reference plays, so that `isEchoLeft` says something.
  var isKnown: Bool { hopsHeard >= Self.leastHops && hopsSinceReference < Self.tailHops }

  /// Whether the output has echo.
  func isEchoLeft(referenceHasGaps: Bool) -> Bool {
    referenceHasGaps ? meanOutput > Self.leastLeftByGaps * meanMicrophone : isCorrelated
  }

  /// Whether the output follows the loudspeaker and has more than a tenth of the microphone's power,
  /// whatever the canceller reduces by itself: gain control may raise what is left.
  var isEchoLoud: Bool { isCorrelated && meanOutput > Self.leastLeft * meanMicrophone }

  /// Records the mean squares of the newest frame of the reference, of the microphone and of the output.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(reference: Float, microphone: Float, output: Float) {
    if hopsSinceReference < Self.tailHops {
      meanMicrophone += Self.shareOfFrame * (microphone - meanMicrophone)
      meanOutput += Self.shareOfFrame * (output - meanOutput)
    }
    powers.reference += reference
    powers.output += output
    frames += 1
    guard frames == Self.hop else { return }
    let played = Self.level(powers.reference, over: Self.referenceFloor)
    let heard = Self.level(powers.output, over: Self.outputFloor)
    (frames, powers) = (0, (0, 0))
    hopsSinceReference = played > 0 ? 0 : min(hopsSinceReference + 1, Self.tailHops)
    guard hopsSinceReference < Self.tailHops else { return }
    hopsHeard = min(hopsHeard + 1, Self.leastHops)
    correlate(played, heard)
  }

  /// Forgets everything, for example because there is no echo any longer. Allocates nothing.
  mutating func reset() {
    guard hopsHeard > 0 else { return }
    for index in references.indices { references[index] = 0 }
    for index in covariances.indices { covariances[index] = 0 }
    for index in outputs.indices { outputs[index] = 0 }
    (reference, output) = (Statistics(), Statistics())
    (hopsHeard, hopsSinceReference) = (0, Self.tailHops)
    (isCorrelated, meanMicrophone, meanOutput) = (false, 0, 0)
  }

  private mutating func correlate(_ played: Float, _ heard: Float) {
    let share = max(Self.share, 1 / Float(hopsHeard))
    references[next] = reference.add(played, share: share)
    let deviation = outputs[nextOutput]
    outputs[nextOutput] = output.add(heard, share: share)
    nextOutput = (nextOutput + 1) % Self.lead
    var largest: Float = 0
    covariances.withUnsafeMutableBufferPointer { covariances in
      var place = next
      for lag in 0..<Self.lagCount {
        covariances[lag] += share * (references[place] * deviation - covariances[lag])
        largest = max(largest, covariances[lag])
        place = place == 0 ? Self.lagCount - 1 : place - 1
      }
    }
    next = (next + 1) % Self.lagCount
    let scale = (reference.variance * output.variance).squareRoot()
    isCorrelated =
      output.variance > Self.leastVariance && largest > Self.leastCorrelation * scale
  }

  private static func level(_ power: Float, over floor: Float) -> Float {
    max(0, 10 * log10f(power / Float(hop) + 1e-12) - floor)
  }
}
