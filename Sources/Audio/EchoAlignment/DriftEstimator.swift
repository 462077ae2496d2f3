public import AudioCore

/// Estimates how fast the clocks of loudspeaker and microphone drift apart, from the times that the
/// devices report and from the slope of the delay that was found in the sound.
public struct DriftEstimator: ~Copyable {
  public struct Estimate: Sendable, Equatable {
    /// The growth of the lag of the echo, in parts per million.
    public var drift: Double
    /// The standard error of the drift, in parts per million.
    public var uncertainty: Double
  }

  /// The largest drift that is estimated, in parts per million.
  public static let largestDrift = 1000.0
  /// The uncertainty in parts per million from which a drift is unknown.
  private static let leastCertainty = 40.0
  /// The devices' times and the sound contradict each other if their drifts differ by more than
  /// this, in parts per million, plus twice their uncertainties. Without the uncertainties, times
  /// that vary by 1 ms would exceed the limit about once an hour.
  private static let agreement = 60.0
  private static let leastPoints = 8
  private static let points = 24

  public private(set) var capture: ReportedClock
  public private(set) var playback: ReportedClock
  /// Whether the devices' times contradict the sound. The sound is believed then.
  public private(set) var devicesDisagree = false
  /// Whether the drift of the sound exceeds `largestDrift`.
  public private(set) var isBeyondLimit = false
  /// The drift; nil until it is known.
  public private(set) var estimate: Estimate?
  private var delays = RobustLine(capacity: points)

  /// Creates an estimator for the rates of the microphone and the reference.
  public init(microphone: SampleRate, reference: SampleRate) {
    capture = ReportedClock(rate: microphone)
    playback = ReportedClock(rate: reference)
  }

  /// Records the time at which the device captured a sample of the microphone.
  public mutating func recordCapture(sample: Int64, at deviceTime: Duration) {
    capture.record(sample: sample, at: deviceTime)
    combine()
  }

  /// Records the time at which the device played a sample of the reference, by the same clock as
  /// `recordCapture`. `ReportedClock.record` explains the parameters.
  ///
  /// - Returns: The step of the playback at that sample, if any. Silence and skips count only if
  ///   the time agrees with them.
  @discardableResult
  public mutating func recordPlayback(
    sample: Int64, at deviceTime: Duration, added: Int64 = 0, rate: Double = 0
  ) -> PlaybackStep? {
    let (lastRate, lastAdded) = (playback.compensation.rate, playback.addedSamples)
    let isFirst = playback.isEmpty
    playback.record(sample: sample, at: deviceTime, added: added, rate: rate)
    combine()
    guard !isFirst else {
      // The delays so far belong to a rate that had not been reported.
      if rate != 0 { delays.forget() }
      return nil
    }
    let change = playback.addedSamples - lastAdded
    guard playback.compensation.rate != lastRate || change != 0 else { return nil }
    // If samples are left out, the lag changes after the last sample before them.
    return PlaybackStep(
      sample: sample + min(0, change), rate: playback.compensation.rate - lastRate, added: change)
  }

  /// Records a delay that was found in the sound, in seconds, at a time of the microphone, in
  /// seconds. Times must increase.
  public mutating func recordDelay(_ delay: Double, at time: Double) {
    guard delay.isFinite, time.isFinite else { return }
    delays.add(time, delay + playback.compensation.excess(at: time - delay))
    combine()
  }

  /// Forgets the delays, because the delay has jumped by an unknown time.
  public mutating func forgetDelays() { delays.forget() }

  /// Forgets the delays and the devices' times, for example when other devices are used from now
  /// on.
  mutating func reset() {
    delays.forget()
    capture.forget()
    playback.forget()
    estimate = nil
    devicesDisagree = false
    isBeyondLimit = false
  }

  /// Moves the delays, because the delay has jumped by a known number of seconds.
  mutating func shiftDelays(by seconds: Double) { delays.shift(by: seconds) }

  /// The number of jumps of both devices' times.
  var deviceJumps: Int { capture.jumpCount + playback.jumpCount }

  /// Returns the lag of the loudspeaker after the reference by the devices' times, in seconds, at a
  /// sample of the microphone, or nil if it is unknown. The way of the sound through the room is
  /// not included.
  func deviceLag(atMicrophoneSample sample: Int64, referenceSample: Int64) -> Double? {
    guard let captured = capture.offset(ofSample: sample),
      let played = playback.offset(ofSample: referenceSample)
    else { return nil }
    return played - captured
  }

  private mutating func combine() {
    let fromDevices = deviceEstimate
    let fromSound = soundEstimate
    isBeyondLimit = fromSound != nil && abs(soundDrift) > 1.1 * Self.largestDrift
    devicesDisagree = false
    switch (fromDevices, fromSound) {
    case (nil, nil): return
    case (let only?, nil), (nil, let only?): estimate = only
    case (let devices?, let sound?):
      let uncertainty = devices.uncertainty + sound.uncertainty
      devicesDisagree = abs(devices.drift - sound.drift) > Self.agreement + 2 * uncertainty
      let isBetter = devices.uncertainty < sound.uncertainty
      estimate = isBetter && !devicesDisagree ? devices : sound
    }
  }

  private var deviceEstimate: Estimate? {
    guard let captured = capture.deviation, let played = playback.deviation else { return nil }
    return Self.bounded(captured - played, capture.uncertainty + playback.uncertainty)
  }

  private var soundDrift: Double { delays.slope * 1e6 - playback.compensation.rate }

  private var soundEstimate: Estimate? {
    guard delays.count >= Self.leastPoints else { return nil }
    return Self.bounded(soundDrift, delays.uncertainty * 1e6)
  }

  private static func bounded(_ drift: Double, _ uncertainty: Double) -> Estimate? {
    guard uncertainty <= leastCertainty else { return nil }
    return Estimate(
      drift: max(-largestDrift, min(largestDrift, drift)), uncertainty: uncertainty)
  }
}
