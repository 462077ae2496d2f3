public import AudioCodecs
public import AudioCore

/// The stage before an echo canceller that makes the reference lead the echo by a constant time,
/// for any lag on the network, drift of two clocks and jump.
///
/// Until the lag is known, from the sound or from the devices' times, the reference passes
/// unchanged. A lead that suits the canceller is kept. Otherwise the reference is held back, so
/// that its lead becomes the best one. From then on the lead stays the same: the aligner follows a
/// drift by resampling, and a jump by one move with a cross-fade of a frame.
///
/// The indexes of samples identify samples and do not compare clocks. A reference with a clock of
/// its own may run ahead of the microphone or behind it for as long as the call lasts. The lag is
/// searched in a window of 1,024 ms that moves with the echo, and with the arrivals of the samples
/// while no echo is heard. The same input gives the same output.
public struct ReferenceAligner: ~Copyable {
  /// The lead that suits a canceller best, and the leads that suit it well enough to be kept.
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

  /// The change of the echo path with a frame.
  public enum Change: Sendable, Equatable {
    case none
    /// The client has reported a step, and the reference follows it at the same sample. The
    /// canceller has nothing to learn.
    case followed
    /// The lag of the echo has changed, or the reference was moved.
    case moved
  }

  /// The age of the estimate, in seconds: half a block, and the time that the work takes.
  private static let age = 0.1
  /// The errors of the lead, in seconds, from which the reference is moved at once: after the lag
  /// has jumped, and while it only drifts. The lag of a sound that the canceller removes where it is drifts
  /// from one reflection to another.
  private static let offAfterJump = 0.001
  private static let offAfterDrift = 0.004
  private static let offWhileExplained = 0.012
  /// The same for a lag by the devices' times, which do not include the way through the room.
  private static let offByDevices = 0.005
  /// The error of the lead, in seconds, from which the reference needs room to follow a drift.
  private static let offForRoom = 0.0005
  /// The room, in seconds, that is kept for following a drift: 2 s of the largest one.
  private static let roomForDrift = 0.002
  /// The least drift that is followed, in parts per million. The canceller tolerates 200.
  private static let leastDrift = 10.0
  private static let leastConfidence: Float = 0.4
  /// The number of updates of the estimator for each point of the slope. Nearer points add nothing.
  private static let updatesPerPoint = 4

  public private(set) var status = AlignmentStatus()
  /// The number of samples by which the next `read` moves the reference against the microphone, later
  /// if positive. 0 if a reported step of the echo moves with the reference.
  public private(set) var movedSamples = 0
  private var lead: Lead
  private var clock: StreamClock
  private var estimator: DelayEstimator
  private var driftEstimator: DriftEstimator
  private var resampler: VariableResampler
  private var updateCount = 0
  private let heldBack: Double  // the delay of the microphone, in seconds
  private var steps = PlaybackSteps()
  private var devices = DeviceTimes()
  private var lastLag: Double?  // the last lag that was believed, in seconds
  /// The delay from the arrival, in seconds, when the path was forgotten.
  private var heldBeforeReset = 0.0
  private var jumps = JumpTrend()
  private var window: LagWindow

  /// Creates an aligner.
  ///
  /// - Parameters:
  ///   - heldBack: The time by which the microphone comes later than its samples' indexes say.
  ///   - hasOwnClock: Whether the reference has a clock of its own, so that it may have more or
  ///     fewer frames than the microphone. Otherwise a frame of it arrives with each frame of the
  ///     microphone.
  public init(
    microphone: SampleRate, reference: SampleRate, referenceChannelCount: Int,
    heldBack: Duration = .zero, leads: Leads = Leads(), hasOwnClock: Bool = false
  ) throws(FrameResampler.ResamplingError) {
    let estimator = try DelayEstimator(
      microphone: microphone, reference: reference, heldBack: heldBack)
    self.estimator = estimator
    driftEstimator = DriftEstimator(microphone: microphone, reference: reference)
    lead = Lead(leads)
    self.heldBack = heldBack / .seconds(1)
    clock = StreamClock(rate: Double(reference.hertz), microphoneRate: Double(microphone.hertz))
    window = LagWindow(moves: hasOwnClock)
    resampler = VariableResampler(
      rate: reference, channelCount: referenceChannelCount,
      longestDelay: reference.samplesPerFrame * DelayEstimator.longestWait)
  }

  /// The lag of the echo behind the reference as it arrives, and the part of it for which the reference
  /// is held back, in seconds. Nil while the lag is unknown. The time is negative for which a reference
  /// runs ahead that is played later than it arrives.
  public var heldLag: (lag: Double, held: Double)? {
    lastLag.map { lag in
      // The arrivals are known to a few milliseconds only. The canceller depends on the difference.
      let held = heldSinceArrival
      let early = held > -ArrivalOffset.tolerance ? max(0, -held) : 0
      return (lag - window.secondsFromArrival + early, held + early)
    }
  }

  /// Whether the echo has been heard, so that the lag is neither expected nor one by the devices' times.
  public var hasHeardEcho: Bool { estimator.lagSeconds != nil }

  /// Begins with a lag that is expected, and the time for which the reference is held back. Call it
  /// before the first frame. The lag is corrected once the echo is heard.
  public mutating func begin(lag: Double, held: Double) {
    believe(lag: lag)
    lead.kept = lag - held
    let delay = held * clock.rate
    let whole = delay.rounded()
    resampler.move(to: abs(delay - whole) < 0.01 ? whole : delay)
  }

  /// Records the time at which the device captured a sample of the microphone, by any clock.
  public mutating func recordCapture(sample: Int64, at deviceTime: Duration) {
    driftEstimator.recordCapture(sample: sample, at: deviceTime)
    devices.hasNewTimes = true
  }

  /// Records the time at which the device played a sample of the reference, by the same clock.
  /// `ReportedClock.record` explains the parameters.
  public mutating func recordPlayback(
    sample: Int64, at deviceTime: Duration, added: Int64 = 0, rate: Double = 0
  ) {
    let step = driftEstimator.recordPlayback(
      sample: sample, at: deviceTime, added: added, rate: rate)
    if let step { steps.append(step) }
    devices.hasNewTimes = true
  }

  /// Records that samples of the reference have arrived, and how many seconds of the reference and
  /// of the microphone have arrived in total.
  public mutating func recordArrival(reference: Double, microphone: Double) {
    window.recordArrival(reference - microphone, at: microphone)
  }

  /// Forgets the last arrivals: the reference was behind for good, and is placed anew.
  public mutating func forgetArrivals() { window.forgetArrivals() }

  /// The number of frames of the reference until it is level with the microphone. If negative, the
  /// reference must wait.
  public var missingFrames: Int {
    Int((Double(clock.missingFrames) + window.seconds * 100).rounded(.up))
  }

  /// Returns whether `read` will have its input after `count` more frames of the reference.
  public func hasReference(afterFrames count: Int) -> Bool {
    resampler.hasNextFrame(afterFrames: count)
  }

  /// The number of frames by which the reference may be behind the microphone.
  public static let longestWait = DelayEstimator.longestWait - 1

  /// Adds the next 10 ms of the reference, while frames of it are missing. Runs per frame: no
  /// allocation, lock, log or await.
  public mutating func append(reference frame: borrowing Frame) {
    precondition(missingFrames > 0, "a reference before its microphone")
    clock.referenceFrames += 1
    estimator.append(reference: frame)
    resampler.write(frame)
  }

  /// Adds the next 10 ms of the microphone, and decides on the next `read`. Runs per frame: no
  /// allocation, lock, log or await.
  ///
  /// - Parameter isExplained: Whether the echo canceller predicts the echo from the reference as it is.
  ///   Then the lag is not looked for elsewhere.
  /// - Returns: The change of the echo path with this frame.
  public mutating func append(
    microphone frame: borrowing Frame, isExplained: Bool = false
  ) -> Change {
    precondition(missingFrames <= Self.longestWait, "a microphone without its reference")
    clock.microphoneFrames += 1
    movedSamples = 0
    estimator.isExplained = isExplained
    estimator.append(microphone: frame)
    jumps.update(estimator.comparedSeconds)
    var change = devices.hasNewTimes && followDevices() ? Change.moved : .none
    if estimator.updateCount != updateCount {
      updateCount = estimator.updateCount
      if followSound() { change = .moved }
    }
    if window.moves { moveWindow() }
    // The last sample of the frame that is read next.
    let position = clock.microphoneSeconds * clock.rate - resampler.delay - 1
    while let step = steps.next(until: position) {
      if accept(step), change == .none { change = .followed }
    }
    report()
    return change
  }

  /// Reads the reference for the microphone's last frame, or silence if it has not arrived. Runs
  /// per frame: no allocation, lock, log or await.
  public mutating func read(into output: borrowing Frame) { resampler.read(into: output) }

  /// Forgets the echo's path and the devices' clocks, for example when the route has changed. The
  /// reference keeps its delay.
  public mutating func reset() {
    heldBeforeReset = heldSinceArrival
    estimator.reset()
    driftEstimator.reset()
    steps.removeAll()
    devices.knownJumps = 0
    devices.hasNewTimes = false
    window.forgetLag()
    lead.kept = nil
    lead.error = 0
    devices.offset = nil
    lastLag = nil
    resampler.slope = 0
    status.echoDelay = nil
  }

  private mutating func followSound() -> Bool {
    guard let lag = estimator.lagSeconds, estimator.confidence >= Self.leastConfidence else {
      return false
    }
    window.recordLag(at: clock.microphoneSeconds, heldFor: heldSeconds)
    status.echoDelay = echoDelay(lag: lag)
    let jump = estimator.hasMoved ? lag - (lastLag ?? lag) : 0
    lastLag = lag
    if estimator.hasMoved {
      driftEstimator.forgetDelays()
      if jump != 0 { jumps.record(jump, at: estimator.comparedSeconds) }
    } else if updateCount.isMultiple(of: Self.updatesPerPoint) {
      driftEstimator.recordDelay(lag, at: estimator.comparedSeconds)
    }
    learnDeviceOffset(lag)
    let drift = knownDrift
    estimator.follow(drift: drift)
    let expected = lag + drift * 1e-6 * Self.age
    guard let lead = lead.kept else {
      return begin(lag: expected) || abs(jump) > Self.offByDevices
    }
    let error = max(0, expected - lead) - heldSeconds
    self.lead.error = expected - lead - heldSeconds
    let offAfterDrift = estimator.isExplained ? Self.offWhileExplained : Self.offAfterDrift
    let limit = estimator.hasMoved ? Self.offAfterJump : offAfterDrift
    if abs(error) > limit {
      if !estimator.hasMoved { jumps.record(error, at: estimator.comparedSeconds) }
      return move(to: expected - lead)
    }
    if abs(jump) > Self.offAfterJump { return true }
    if resampler.slope == 0, drift != 0, self.lead.good.contains(lead + error) {
      // By now the canceller has learned the present lead.
      self.lead.kept = lead + error
      resampler.slope = drift
    } else {
      correct(error, drift)
    }
    return false
  }

  private mutating func begin(lag: Double) -> Bool {
    let current = lag - heldSeconds
    if lead.good.contains(current) {
      lead.kept = current
      return false
    }
    lead.kept = min(lag, lead.best)
    return move(to: lag - lead.best)
  }

  /// Resamples by the drift, and a little more while the lead is off: slowly enough for the
  /// canceller, and not for errors within the noise of the estimate.
  private mutating func correct(_ error: Double, _ drift: Double) {
    let excess = error > 0 ? max(0, error - 0.001) : min(0, error + 0.001)
    resampler.slope = drift + max(-30, min(30, excess * 1e6 / 20))
  }

  /// Follows the devices' times. Before the echo is heard, they determine the lag. Later they only
  /// determine the new lag after a jump, until the echo is heard.
  private mutating func followDevices() -> Bool {
    devices.hasNewTimes = false
    guard let lag = deviceLag else { return false }
    guard let heard = estimator.lagSeconds else {
      believe(lag: lag)
      return lead.good.contains(lag - heldSeconds) ? false : moveByDevices(to: lag - lead.best)
    }
    guard driftEstimator.deviceJumps != devices.knownJumps, let offset = devices.offset,
      let lead = lead.kept
    else {
      return false
    }
    devices.knownJumps = driftEstimator.deviceJumps
    guard !driftEstimator.capture.isRestless, !driftEstimator.playback.isRestless else {
      return false
    }
    let expected = lag + offset
    guard abs(expected - heard) > Self.offByDevices, (0...1).contains(expected) else {
      return false
    }
    believe(lag: expected)
    estimator.jump(by: expected - heard)
    driftEstimator.forgetDelays()
    return moveByDevices(to: expected - lead)
  }

  /// Uses a reported lag as that of the echo, before the echo is heard.
  private mutating func believe(lag: Double) {
    status.echoDelay = echoDelay(lag: lag)
    lastLag = lag
  }

  /// Follows a reported step of the playback. A drift that is followed changes by the step's rate,
  /// and the reference moves by the step's samples. Returns whether the lag has changed.
  private mutating func accept(_ step: PlaybackStep) -> Bool {
    if resampler.slope != 0 { resampler.slope -= step.rate }
    let change = Double(step.added) / clock.rate
    guard change != 0, let lead = lead.kept, let lag = lastLag,
      (0...1.1).contains(lag + change)
    else {
      return false
    }
    believe(lag: lag + change)
    estimator.step(by: change, in: lead + max(0, change))
    driftEstimator.shiftDelays(by: change)
    resampler.move(by: step.added, at: step.sample)
    return true
  }

  private mutating func moveByDevices(to seconds: Double) -> Bool {
    abs(max(0, seconds) - heldSeconds) > Self.offByDevices && move(to: seconds)
  }

  private mutating func learnDeviceOffset(_ lag: Double) {
    guard let deviceLag else { return }
    devices.knownJumps = driftEstimator.deviceJumps
    // The devices' times include steps that are not read yet, the sound does not.
    let coming = Double(steps.added) / clock.rate
    devices.offset = lag + coming - deviceLag
  }

  /// The lag by the devices' times, in seconds; nil if it is unknown or impossible.
  private var deviceLag: Double? {
    anyDeviceLag.flatMap { (0...1.1).contains($0) ? $0 : nil }
  }

  private var anyDeviceLag: Double? {
    let seconds = clock.microphoneSeconds
    let lag = driftEstimator.deviceLag(
      atMicrophoneSample: Int64(seconds * clock.microphoneRate),
      referenceSample: Int64((seconds + window.seconds) * clock.rate))
    return lag.map { $0 + heldBack + window.seconds }
  }

  /// The delay of the reference, counted from its arrival, in seconds.
  private var heldSinceArrival: Double { resampler.delay / clock.rate + window.arrivalSeconds }

  /// The delay of the reference, counted in the window of lags, in seconds.
  private var heldSeconds: Double { resampler.delay / clock.rate + window.seconds }

  private func echoDelay(lag: Double) -> Duration {
    .nanoseconds(Int64(max(0, lag - heldBack - window.secondsFromArrival) * 1e9))
  }

  /// Delays the reference by the given seconds, counted in the window. Returns whether the delay
  /// changes.
  private mutating func move(to seconds: Double) -> Bool {
    // With a whole delay, samples pass unchanged.
    let wanted = (seconds - window.seconds) * clock.rate
    let after = max(
      resampler.shortestDelay.rounded(.up), min(resampler.longestDelay, wanted.rounded()))
    resampler.slope = 0
    guard after != resampler.delay else { return false }
    movedSamples = Int((after - resampler.delay).rounded())
    resampler.move(to: after)
    return true
  }

  private var knownDrift: Double {
    guard let estimate = driftEstimator.estimate else { return 0 }
    // Until a step is read, the drift from before it applies.
    let drift = estimate.drift + steps.rate
    return abs(drift) > max(Self.leastDrift, 2 * estimate.uncertainty) ? drift : 0
  }

  private mutating func report() {
    status.drift = driftEstimator.estimate?.drift
    status.hasMicrophoneInReference = estimator.hasCopyOfMicrophone
    status.hasUnsteadyClocks =
      driftEstimator.devicesDisagree || driftEstimator.isBeyondLimit || jumps.isDrift
      || driftEstimator.capture.isUntrusted || driftEstimator.playback.isUntrusted
  }
}

/// The lead of a reference, in seconds.
private struct Lead {
  let best: Double
  let good: ClosedRange<Double>
  /// The lead to be kept, or nil until it is known.
  var kept: Double?
  /// The error of the lead when the echo was last heard.
  var error = 0.0

  init(_ leads: ReferenceAligner.Leads) {
    best = leads.best / .seconds(1)
    good = leads.good.lowerBound / .seconds(1)...leads.good.upperBound / .seconds(1)
  }
}

/// The frames that have arrived of both sides. Rates are in Hz.
private struct StreamClock {
  let rate: Double
  let microphoneRate: Double
  var microphoneFrames: Int64 = 0
  var referenceFrames: Int64 = 0

  var microphoneSeconds: Double { Double(microphoneFrames) / 100 }
  var missingFrames: Int64 { microphoneFrames - referenceFrames }
}

/// The lag by the devices' times.
private struct DeviceTimes {
  var hasNewTimes = false
  var knownJumps = 0
  /// The lag of the sound minus the lag by the devices' times, in seconds.
  var offset: Double?
}

/// The window of lags, and the reference while no echo is heard.
extension ReferenceAligner {
  /// The least move with the arrivals, in seconds.
  private static let leastMoveByArrival = 0.02

  private mutating func moveWindow() {
    if estimator.canShiftLags, let isLonger = wantedShift {
      estimator.shiftLags(isLonger: isLonger)
      window.shift(isLonger: isLonger)
      let shift = isLonger ? LagWindow.shift : -LagWindow.shift
      lastLag? += shift
      driftEstimator.shiftDelays(by: shift)
      resampler.shiftDelays(to: -window.seconds * clock.rate)
    }
    followArrivals()
  }

  /// True if the window should move to longer lags, false if to shorter ones, nil if it should
  /// stay.
  private var wantedShift: Bool? {
    let lag = window.isHeard(at: clock.microphoneSeconds) ? estimator.lagSeconds : nil
    let room = resampler.nextDelay - resampler.shortestFractionalDelay
    let isOff = lead.kept != nil && knownDrift != 0 && abs(lead.error) > Self.offForRoom
    // A drift that is followed gets room in advance. Otherwise the lead must be off first.
    let isFollowed = resampler.slope < 0 && (0..<Self.roomForDrift * clock.rate).contains(room)
    let needsRoom = isFollowed || isOff && room < 1
    let known = lag ?? toldLag
    guard let isLonger = window.wantedShift(lag: known, needsRoom: needsRoom) else { return nil }
    return isLonger && missingFrames > Self.longestWait - LagWindow.frames ? nil : isLonger
  }

  /// The lag by the devices' times, before the echo is heard; nil if the times cannot be believed.
  private var toldLag: Double? {
    guard estimator.lagSeconds == nil, let lag = anyDeviceLag, (-0.1...1.2).contains(lag),
      !driftEstimator.capture.isUntrusted, !driftEstimator.playback.isUntrusted
    else { return nil }
    return lag + Self.offByDevices
  }

  /// Keeps the distance between reference and microphone while no echo is heard, as it was at first
  /// or when the echo was last heard.
  private mutating func followArrivals() {
    if lead.kept == nil {
      guard lastLag == nil else { return }
      let wanted = heldBeforeReset - window.arrivalSeconds
      guard abs(wanted - resampler.delay / clock.rate) > Self.leastMoveByArrival else { return }
      _ = move(to: wanted + window.seconds)
    } else if let error = window.arrivalError(at: clock.microphoneSeconds, heldFor: heldSeconds) {
      estimator.jump(by: error)
      driftEstimator.forgetDelays()
      if let lag = lastLag { believe(lag: lag + error) }
      resampler.move(to: resampler.nextDelay + (error * clock.rate).rounded())
    }
  }
}

/// The state of the alignment, for reports.
public struct AlignmentStatus: Sendable, Equatable {
  /// The delay of the echo after the reference as it came in; nil before it is known.
  public var echoDelay: Duration?
  /// The growth of the delay in parts per million; nil before it is known.
  public var drift: Double?
  /// Whether the clocks cannot be followed: the devices' times contradict each other or the sound,
  /// or the drift exceeds 1,000 parts per million.
  public var hasUnsteadyClocks = false

  /// Whether the reference contains the microphone.
  public var hasMicrophoneInReference = false

  public init() {}
}
