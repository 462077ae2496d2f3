public import AudioCore
public import Resampling

/// Stands before an echo canceller and gives it the reference so that it leads the echo by a time
/// that stays the same, whatever the lag on the network, the drift of two clocks and their jumps.
///
/// Until it is sure of the lag, or the devices' times say it, it passes the reference untouched. A
/// lead that the canceller likes it leaves alone; any other it makes the best one, by holding the
/// reference back. From then on it keeps the lead: a drift is followed by resampling, a jump by one
/// move with a cross-fade of a frame. It cannot make a reference earlier than it came, but it needs a
/// reference that it holds back no sooner than that. The same input gives the same output.
public struct ReferenceAligner: ~Copyable {
  /// What a canceller likes best, and what it likes well enough not to be disturbed.
  public struct Leads: Sendable, Equatable {
    public var best: Duration
    public var good: ClosedRange<Duration>

    public init(
      best: Duration = .milliseconds(20),
      good: ClosedRange<Duration> = .milliseconds(5) ... .milliseconds(40)
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
  private static let offByDevices = 0.005
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
  private var microphoneFrames: Int64 = 0
  private var referenceFrames: Int64 = 0
  private var updateCount = 0
  private var lead: Double?  // in seconds, that is kept
  private let heldBack: Double  // the microphone, in seconds
  private var hasNewTimes = false
  private var steps = PlaybackSteps()
  private var knownJumps = 0
  private var deviceOffset: Double?  // from the lag by the devices' times to that of the sound
  private var lastLag: Double?  // in seconds, that was last believed
  private var jumps = JumpTrend()

  /// `heldBack` is by how much the microphone comes later than its samples' indexes say.
  public init(
    microphone: SampleRate, reference: SampleRate, referenceChannelCount: Int,
    heldBack: Duration = .zero, leads: Leads = Leads()
  ) throws(FrameResampler.Failure) {
    let estimator = try DelayEstimator(microphone: microphone, reference: reference)
    self.estimator = estimator
    driftEstimator = DriftEstimator(microphone: microphone, reference: reference)
    bestLead = leads.best / .seconds(1)
    goodLeads = leads.good.lowerBound / .seconds(1)...leads.good.upperBound / .seconds(1)
    self.heldBack = heldBack / .seconds(1)
    rate = Double(reference.hertz)
    microphoneRate = Double(microphone.hertz)
    resampler = VariableResampler(
      rate: reference, channelCount: referenceChannelCount,
      longestDelay: reference.samplesPerFrame * DelayEstimator.longestWait)
  }

  /// Takes in when the device captured a sample of the microphone, by any clock.
  public mutating func noteCapture(sample: Int64, at deviceTime: Duration) {
    driftEstimator.noteCapture(sample: sample, at: deviceTime)
    hasNewTimes = true
  }

  /// Takes in when the device played a sample of the reference, by the same clock; more in `DeviceClock`.
  public mutating func notePlayback(
    sample: Int64, at deviceTime: Duration, added: Int64 = 0, rate: Double = 0
  ) {
    let step = driftEstimator.notePlayback(
      sample: sample, at: deviceTime, added: added, rate: rate)
    if let step { steps.append(step) }
    hasNewTimes = true
  }

  /// How many frames of the reference have still to come until it is level with the microphone.
  public var missingFrames: Int { Int(microphoneFrames - referenceFrames) }

  /// Whether `read` will have all that it needs, when so many frames of the reference more have come.
  public func hasReference(afterFrames count: Int) -> Bool {
    resampler.hasNextFrame(afterFrames: count)
  }

  /// So much the reference may be behind the microphone, in frames.
  public static let longestWait = DelayEstimator.longestWait - 1

  /// Takes in the next 10 ms of the reference; never more than of the microphone. Runs per frame: no
  /// allocation, lock, log or await.
  public mutating func append(reference frame: borrowing Frame) {
    precondition(missingFrames > 0, "a reference before its microphone")
    referenceFrames += 1
    estimator.append(reference: frame)
    resampler.write(frame)
  }

  /// Takes in the next 10 ms of the microphone, and decides by what is known then. Runs per frame: no
  /// allocation, lock, log or await.
  ///
  /// - Returns: Whether the echo is elsewhere than before; the next `read` is moved for it where the
  ///   engine needs that.
  public mutating func append(microphone frame: borrowing Frame) -> Bool {
    precondition(missingFrames <= Self.longestWait, "a microphone without its reference")
    microphoneFrames += 1
    estimator.append(microphone: frame)
    jumps.update(estimator.comparedSeconds)
    var hasMoved = hasNewTimes && followDevices()
    if estimator.updateCount != updateCount {
      updateCount = estimator.updateCount
      if followSound() { hasMoved = true }
    }
    let position = Double(microphoneFrames) / 100 * rate - resampler.delay
    while let step = steps.next(until: position) {
      if take(step) { hasMoved = true }
    }
    report()
    return hasMoved
  }

  /// Gives the reference for the microphone's last frame, or silence in place of one that has not come.
  /// Runs per frame: no allocation, lock, log or await.
  public mutating func read(into output: borrowing Frame) { resampler.read(into: output) }

  /// Forgets the echo's way, as where a route has changed; the reference stays where it is.
  public mutating func reset() {
    estimator.reset()
    driftEstimator.forgetDelays()
    lead = nil
    deviceOffset = nil
    lastLag = nil
    resampler.slope = 0
    status.echoDelay = nil
  }

  private mutating func followSound() -> Bool {
    guard let lag = estimator.lagSeconds, estimator.confidence >= Self.leastConfidence else {
      return false
    }
    status.echoDelay = .nanoseconds(Int64(max(0, lag - heldBack) * 1e9))
    let jump = estimator.hasMoved ? lag - (lastLag ?? lag) : 0
    lastLag = lag
    if estimator.hasMoved {
      driftEstimator.forgetDelays()
      if jump != 0 { jumps.note(jump, at: estimator.comparedSeconds) }
    } else if updateCount.isMultiple(of: Self.updatesPerPoint) {
      driftEstimator.noteDelay(lag, at: estimator.comparedSeconds)
    }
    learnDeviceOffset(lag)
    let drift = knownDrift
    estimator.follow(drift: drift)
    let expected = lag + drift * 1e-6 * Self.age
    guard let lead else {
      return begin(lag: expected) || abs(jump) > Self.offByDevices
    }
    let error = max(0, expected - lead) - resampler.delay / rate
    let limit = estimator.hasMoved ? Self.offAfterJump : Self.offAfterDrift
    if abs(error) > limit {
      if !estimator.hasMoved { jumps.note(error, at: estimator.comparedSeconds) }
      return move(to: expected - lead)
    }
    if abs(jump) > Self.offAfterJump { return true }
    if resampler.slope == 0, drift != 0, goodLeads.contains(lead + error) {
      // The canceller has learnt the lead as it is by now; what it was does not matter to it.
      self.lead = lead + error
      resampler.slope = drift
    } else {
      correct(error, drift)
    }
    return false
  }

  private mutating func begin(lag: Double) -> Bool {
    let current = lag - resampler.delay / rate
    if goodLeads.contains(current) {
      lead = current
      return false
    }
    lead = min(lag, bestLead)
    return move(to: lag - bestLead)
  }

  /// Resamples by the drift, and by a little more while the lead is not what it was: slower than
  /// anything that the canceller minds, and not for the noise of the estimate.
  private mutating func correct(_ error: Double, _ drift: Double) {
    let excess = error > 0 ? max(0, error - 0.001) : min(0, error + 0.001)
    resampler.slope = drift + max(-30, min(30, excess * 1e6 / 20))
  }

  /// Before the echo was heard, the devices' times say where it is. Later they say only where it went
  /// when they jump, until it is heard there.
  private mutating func followDevices() -> Bool {
    hasNewTimes = false
    guard let lag = deviceLag else { return false }
    guard let heard = estimator.lagSeconds else {
      believe(lag: lag)
      return goodLeads.contains(lag - resampler.delay / rate)
        ? false : moveByDevices(to: lag - bestLead)
    }
    guard driftEstimator.deviceJumps != knownJumps, let deviceOffset, let lead else {
      return false
    }
    knownJumps = driftEstimator.deviceJumps
    guard !driftEstimator.capture.isRestless, !driftEstimator.playback.isRestless else {
      return false
    }
    let expected = lag + deviceOffset
    guard abs(expected - heard) > Self.offByDevices, (0...1).contains(expected) else {
      return false
    }
    believe(lag: expected)
    estimator.jump(by: expected - heard)
    driftEstimator.forgetDelays()
    return moveByDevices(to: expected - lead)
  }

  /// Where the echo is by what was told, before it is heard there.
  private mutating func believe(lag: Double) {
    status.echoDelay = .seconds(max(0, lag - heldBack))
    lastLag = lag
  }

  /// From here on the client plays as it said: a drift that is followed is another by just as much, and
  /// the reference stays with the echo to the sample. Returns whether the echo has moved.
  private mutating func take(_ step: PlaybackStep) -> Bool {
    if resampler.slope != 0 { resampler.slope -= step.rate }
    let change = Double(step.added) / rate
    guard change != 0, lead != nil, let lag = lastLag, (0...1.1).contains(lag + change) else {
      return false
    }
    believe(lag: lag + change)
    estimator.jump(by: change)
    driftEstimator.shiftDelays(by: change)
    resampler.move(to: resampler.nextDelay + Double(step.added))
    return true
  }

  private mutating func moveByDevices(to seconds: Double) -> Bool {
    abs(max(0, seconds) - resampler.delay / rate) > Self.offByDevices && move(to: seconds)
  }

  private mutating func learnDeviceOffset(_ lag: Double) {
    guard let deviceLag else { return }
    knownJumps = driftEstimator.deviceJumps
    // What the devices know already, and the sound does not.
    let coming = Double(steps.added) / rate
    deviceOffset = lag + coming - deviceLag
  }

  /// In seconds, by the devices' times; nil for what no echo can have.
  private var deviceLag: Double? {
    let seconds = Double(microphoneFrames) / 100
    let lag = driftEstimator.deviceLag(
      atMicrophoneSample: Int64(seconds * microphoneRate), referenceSample: Int64(seconds * rate))
    return lag.map { $0 + heldBack }.flatMap { (0...1.1).contains($0) ? $0 : nil }
  }

  /// Holds the reference back by so much. Returns whether that is another time than before.
  private mutating func move(to seconds: Double) -> Bool {
    // Whole samples pass untouched.
    let after = max(0, min(resampler.longestDelay, (seconds * rate).rounded()))
    resampler.slope = 0
    guard after != resampler.delay else { return false }
    resampler.move(to: after)
    return true
  }

  private var knownDrift: Double {
    guard let estimate = driftEstimator.estimate else { return 0 }
    // Until a step is read, the drift is what it was before.
    let drift = estimate.drift + steps.rate
    return abs(drift) > max(Self.leastDrift, 2 * estimate.uncertainty) ? drift : 0
  }

  private mutating func report() {
    status.drift = driftEstimator.estimate?.drift
    status.hasUnsteadyClocks =
      driftEstimator.devicesDisagree || driftEstimator.isBeyondLimit || jumps.isDrift
      || driftEstimator.capture.isUntrusted || driftEstimator.playback.isUntrusted
  }
}
