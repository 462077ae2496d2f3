public import AudioCore

/// How fast the loudspeaker's clock and the microphone's run away from each other: from the times
/// that the devices give, and from the slope of the delay that was found in the sound.
public struct DriftEstimator: ~Copyable {
  public struct Estimate: Sendable, Equatable {
    /// In parts per million, how fast the lag of the echo grows.
    public var drift: Double
    /// By which that is likely to be wrong.
    public var uncertainty: Double
  }

  /// In parts per million; more is cut off.
  public static let largestDrift = 1000.0
  /// A drift known worse than this, in parts per million, is not known.
  private static let leastCertainty = 40.0
  /// Where both roads lead within this of each other they agree, in parts per million.
  private static let agreement = 60.0
  private static let leastPoints = 8
  private static let points = 24

  public private(set) var capture: DeviceClock
  public private(set) var playback: DeviceClock
  /// Whether the devices' times say another drift than the sound does; then the sound is believed.
  public private(set) var devicesDisagree = false
  /// Whether the sound drifts faster than can be followed.
  public private(set) var isBeyondLimit = false
  /// Nil until it is known.
  public private(set) var estimate: Estimate?
  private var delays = RobustLine(capacity: points)

  /// The rates of the microphone and the reference.
  public init(microphone: SampleRate, reference: SampleRate) {
    capture = DeviceClock(rate: microphone)
    playback = DeviceClock(rate: reference)
  }

  /// Takes in when the device captured a sample of the microphone.
  public mutating func noteCapture(sample: Int64, at deviceTime: Duration) {
    capture.note(sample: sample, at: deviceTime)
    combine()
  }

  /// Takes in when the device played a sample of the reference, by the same clock; more in `DeviceClock`.
  /// Returns what is another from there on: silence and skips only where the time agrees.
  @discardableResult
  public mutating func notePlayback(
    sample: Int64, at deviceTime: Duration, added: Int64 = 0, rate: Double = 0
  ) -> PlaybackStep? {
    let (lastRate, lastAdded) = (playback.compensation.rate, playback.addedSamples)
    let isFirst = playback.isEmpty
    playback.note(sample: sample, at: deviceTime, added: added, rate: rate)
    combine()
    guard !isFirst else {
      // What was heard until now was heard at a rate that nobody had told.
      if rate != 0 { delays.forget() }
      return nil
    }
    let change = playback.addedSamples - lastAdded
    guard playback.compensation.rate != lastRate || change != 0 else { return nil }
    // Where samples are left out, the echo is elsewhere once the last before them is heard.
    return PlaybackStep(
      sample: sample + min(0, change), rate: playback.compensation.rate - lastRate, added: change)
  }

  /// Takes in a delay, in seconds, that was found in the sound at a time of the microphone, in
  /// seconds; each is later than the one before.
  public mutating func noteDelay(_ delay: Double, at time: Double) {
    guard delay.isFinite, time.isFinite else { return }
    delays.add(time, delay + playback.compensation.excess(at: time - delay))
    combine()
  }

  /// The delay has jumped: what it was before says nothing of the drift.
  public mutating func forgetDelays() { delays.forget() }

  /// Forgets delays and devices alike, as where other devices are used from now on.
  mutating func reset() {
    delays.forget()
    capture.forget()
    playback.forget()
    estimate = nil
    devicesDisagree = false
    isBeyondLimit = false
  }

  /// The delay has jumped, by just so many seconds.
  mutating func shiftDelays(by seconds: Double) { delays.shift(by: seconds) }

  /// How many times either device was somewhere else from then on.
  var deviceJumps: Int { capture.jumpCount + playback.jumpCount }

  /// The lag of what is played behind the reference by the devices' times, in seconds, at a sample
  /// of the microphone; nil when they do not say. The way of the sound comes on top.
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
      devicesDisagree = abs(devices.drift - sound.drift) > Self.agreement
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
