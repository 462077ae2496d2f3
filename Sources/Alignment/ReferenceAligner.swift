public import AudioCore
public import Resampling

/// Stands before an echo canceller and gives it the reference so that it leads the echo by a time
/// that stays the same, whatever the lag on the network, the drift of two clocks and their jumps.
///
/// Until it is sure of the lag it passes the reference untouched. A lead that the canceller likes it
/// leaves alone; any other it makes the best one, by holding the reference back. From then on it
/// keeps the lead: a drift is followed by resampling, a jump by one move with a cross-fade of a
/// frame. It cannot make a reference earlier than it came. The same input gives the same output.
public struct ReferenceAligner: ~Copyable {
  /// What a canceller likes best, and what it likes well enough not to be disturbed.
  public struct Leads: Sendable, Equatable {
    public var best: Duration
    public var good: ClosedRange<Duration>

    public init(
      best: Duration = .milliseconds(40),
      good: ClosedRange<Duration> = .milliseconds(20) ... .milliseconds(60)
    ) {
      self.best = best
      self.good = good
    }
  }

  /// How long the estimate is behind a drift that it follows, in seconds: half a block and the work.
  private static let age = 0.1
  /// What the lead may be off, in seconds, before the reference is moved at once: where the lag was
  /// found elsewhere, and where it only drifts.
  private static let offAfterJump = 0.001
  private static let offAfterDrift = 0.004
  /// The same by the devices' times, which know nothing of the room.
  private static let offByDevices = 0.01
  /// Below this, in parts per million, a drift is left to the canceller, which bears 200.
  private static let leastDrift = 10.0
  private static let leastConfidence: Float = 0.4
  /// Of the estimator's updates, one in so many goes into the slope: the others say the same.
  private static let updatesPerPoint = 4

  public private(set) var status = AlignmentStatus()
  private let bestLead: Double  // in seconds
  private let goodLeads: ClosedRange<Double>
  private let rate: Double
  private let microphoneRate: Double
  private var estimator: DelayEstimator
  private var driftEstimator: DriftEstimator
  private var resampler: VariableResampler
  private var frameCount: Int64 = 0
  private var updateCount = 0
  private var lead: Double?  // in seconds, that is kept
  private var slope = 0.0  // in parts per million

  public init(
    microphone: SampleRate, reference: SampleRate, referenceChannelCount: Int,
    leads: Leads = Leads()
  ) throws(FrameResampler.Failure) {
    let estimator = try DelayEstimator(microphone: microphone, reference: reference)
    self.estimator = estimator
    driftEstimator = DriftEstimator(microphone: microphone, reference: reference)
    bestLead = leads.best / .seconds(1)
    goodLeads = leads.good.lowerBound / .seconds(1)...leads.good.upperBound / .seconds(1)
    rate = Double(reference.hertz)
    microphoneRate = Double(microphone.hertz)
    resampler = VariableResampler(
      rate: reference, channelCount: referenceChannelCount,
      longestDelay: reference.hertz * 11 / 10)
  }

  /// Takes in when the device captured a sample of the microphone, by any clock.
  public mutating func noteCapture(sample: Int64, at deviceTime: Duration) {
    driftEstimator.noteCapture(sample: sample, at: deviceTime)
  }

  /// Takes in when the device played a sample of the reference, by the same clock.
  public mutating func notePlayback(sample: Int64, at deviceTime: Duration) {
    driftEstimator.notePlayback(sample: sample, at: deviceTime)
  }

  /// Takes in 10 ms of both, of the same time on the microphone's clock, and gives the reference for
  /// the engine. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: What was changed from this frame on.
  public mutating func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) -> AlignmentChange? {
    estimator.process(microphone: microphone, reference: reference)
    frameCount += 1
    let change: AlignmentChange?
    if estimator.updateCount != updateCount {
      updateCount = estimator.updateCount
      change = followSound()
    } else if status.echoDelay == nil, frameCount.isMultiple(of: 100) {
      change = followDevices()
    } else {
      change = nil
    }
    resampler.process(reference, slope: slope, into: output)
    report()
    return change
  }

  /// Forgets the echo's way, as where a route has changed; the reference stays where it is.
  public mutating func reset() {
    estimator.reset()
    driftEstimator.forgetDelays()
    lead = nil
    slope = 0
    status.echoDelay = nil
  }

  private mutating func followSound() -> AlignmentChange? {
    guard let lag = estimator.lagSeconds, estimator.confidence >= Self.leastConfidence else {
      return nil
    }
    status.echoDelay = .nanoseconds(Int64(lag * 1e9))
    if estimator.hasMoved {
      driftEstimator.forgetDelays()
    } else if updateCount.isMultiple(of: Self.updatesPerPoint) {
      driftEstimator.noteDelay(lag, at: Double(frameCount) / 100)
    }
    let drift = knownDrift
    estimator.follow(drift: drift)
    let expected = lag + drift * 1e-6 * Self.age
    guard let lead else { return begin(lag: expected) }
    let error = max(0, expected - lead) - resampler.delay / rate
    let limit = estimator.hasMoved ? Self.offAfterJump : Self.offAfterDrift
    if abs(error) > limit {
      return move(to: expected - lead, .jumped)
    }
    if slope == 0, drift != 0, goodLeads.contains(lead + error) {
      // The canceller has learnt the lead as it is by now; what it was does not matter to it.
      self.lead = lead + error
      slope = drift
    } else {
      correct(error, drift)
    }
    return nil
  }

  private mutating func begin(lag: Double) -> AlignmentChange? {
    let current = lag - resampler.delay / rate
    if goodLeads.contains(current) {
      lead = current
      return nil
    }
    lead = min(lag, bestLead)
    return move(to: lag - bestLead, .found)
  }

  /// Resamples by the drift, and by a little more while the lead is not what it was: slower than
  /// anything that the canceller minds, and not for the noise of the estimate.
  private mutating func correct(_ error: Double, _ drift: Double) {
    let excess = error > 0 ? max(0, error - 0.001) : min(0, error + 0.001)
    slope = drift + max(-30, min(30, excess * 1e6 / 20))
  }

  private mutating func followDevices() -> AlignmentChange? {
    let microphoneSample = Int64(Double(frameCount) / 100 * microphoneRate)
    let referenceSample = Int64(Double(frameCount) / 100 * rate)
    guard
      let lag = driftEstimator.deviceLag(
        atMicrophoneSample: microphoneSample, referenceSample: referenceSample),
      lag >= 0, lag <= 1
    else { return nil }
    let error = max(0, lag - bestLead) - resampler.delay / rate
    guard abs(error) > Self.offByDevices else { return nil }
    return move(to: lag - bestLead, .deviceTimes)
  }

  private mutating func move(to seconds: Double, _ cause: AlignmentChange.Cause) -> AlignmentChange?
  {
    let before = resampler.delay
    // Whole samples pass untouched.
    let after = max(0, min(resampler.longestDelay, (seconds * rate).rounded()))
    slope = 0
    guard after != before else { return nil }
    resampler.move(to: after)
    return AlignmentChange(
      cause: cause, before: .seconds(before / rate), after: .seconds(after / rate))
  }

  private var knownDrift: Double {
    guard let estimate = driftEstimator.estimate,
      abs(estimate.drift) > max(Self.leastDrift, 2 * estimate.uncertainty)
    else { return 0 }
    return estimate.drift
  }

  private mutating func report() {
    status.confidence = estimator.confidence
    status.drift = driftEstimator.estimate?.drift
    status.referenceDelay = .seconds(resampler.delay / rate)
    status.lead = status.echoDelay.map { $0 - status.referenceDelay }
    status.rejectedTimeCount =
      driftEstimator.capture.rejectedCount + driftEstimator.playback.rejectedCount
    status.devicesDisagree = driftEstimator.devicesDisagree
  }
}
