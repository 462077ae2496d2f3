internal import AudioCore
internal import EchoAlignment
internal import VoiceEngines

/// The reference of the echo canceller, brought to lead the echo by a steady time: the audio that the
/// client taps at the loudspeaker, or else the mix that this session sends for playback.
struct EchoReference: ~Copyable {
  private enum Source { case client, playback, none }

  /// The peak above which a reference is heard: -60 dBFS.
  private static let leastPeak: Float = 0.001
  /// The part of the microphone from which on the canceller explains it.
  private static let leastExplained: Float = 0.4

  /// The client's reference as it comes in.
  private(set) var timeline: InputTimeline
  private var standing = StandingIndex()
  /// Nil under the media clock.
  private var pauses: ReferencePauses?
  /// The reference for the frame that the microphone is at.
  let aligned: Frame
  /// The mean square of the newest frame of the reference that came, or 0 where none came.
  private(set) var newestMeanSquare: Float = 0
  /// The path of the echo from `aligned` to the microphone. Unknown without a reference.
  private(set) var path = EchoConditions.Path.unknown
  private var isPathNew = false
  /// Whether the lag is that of an earlier session, and the echo has not been heard yet. The buffers of the
  /// devices may be others now.
  private var isLagExpected = false
  /// Whether the reference has ended: nothing follows the samples that wait.
  var isAtEnd = false
  private let source: Source
  private let microphoneRates: (indexes: SampleRate, frames: SampleRate)
  private var aligner: ReferenceAligner
  /// Whether blocks of the client's reference are missing.
  private(set) var hasGaps = false
  /// Nil without a reference from the client: the session's own playback has no gaps.
  private var gapDetector: ReferenceGapDetector?
  private let input: Frame
  private var timing: EchoTiming

  init(_ setup: SessionSetup, _ capture: borrowing CapturePipeline, _ engine: any VoiceEngine.Type)
    throws
  {
    source = setup.reference != nil ? .client : setup.playback != nil ? .playback : .none
    let format = setup.echoReference ?? setup.microphone
    timeline = InputTimeline(format: format)
    pauses = setup.isRealTime ? ReferencePauses(rate: format.rate) : nil
    aligned = Frame(rate: format.rate, channelCount: format.channelCount)
    input = Frame(rate: format.rate, channelCount: format.channelCount)
    gapDetector = source == .client ? ReferenceGapDetector(rate: format.rate) : nil
    microphoneRates = (setup.microphone.rate, capture.format.rate)
    timing = EchoTiming(latestEcho: engine.goodReferenceLeads.upperBound.frames + 1)
    aligner = try ReferenceAligner(
      microphone: capture.format.rate, reference: format.rate,
      referenceChannelCount: format.channelCount,
      heldBack: capture.delays.heldBack,
      leads: .init(best: engine.bestReferenceLead, good: engine.goodReferenceLeads),
      hasOwnClock: source == .client)
  }

  var status: AlignmentStatus { aligner.status }
  var heldLag: (lag: Double, held: Double)? { aligner.heldLag }

  /// Begins with the lag of an echo path that is expected.
  mutating func begin(with path: EchoPath) {
    aligner.begin(lag: path.lag / .seconds(1), held: path.held / .seconds(1))
    isLagExpected = true
  }

  /// Whether the session has a reference.
  var exists: Bool { source != .none }

  /// Whether the microphone may still contain sound that was played.
  var mayBeHeard: Bool { timing.mayBeHeard(isLagKnown: status.echoDelay != nil) }

  /// Whether the microphone has been silent for so long that the echo of a loud reference must have come
  /// meanwhile: it is muted by a switch of its own. Shorter silence is usual on a telephone line, whose
  /// pauses are digital, until the echo comes. Mutating for the reason of `CaptureSide.hasResidualEcho`.
  var isMicrophoneMuted: Bool { mutating get { status.echoDelay != nil && timing.lacksEcho } }

  /// Forgets the echo's path and the devices' clocks, because the echo takes another path.
  mutating func reset() {
    aligner.reset()
    isPathNew = true
  }

  /// Appends samples of the client's reference, while the microphone has arrived up to a sample, and the
  /// last ones of it wait. `deviceTime` is the time at which the device played the first sample.
  ///
  /// - Returns: How many samples were missing before them.
  mutating func append(
    _ samples: InputSamples, firstSample: Int64?, microphone: (arrived: Int64, waiting: Int),
    deviceTime: Duration?
  ) throws(InputError) -> Int64 {
    let firstSample = standing.place(firstSample, samples, in: &timeline)
    let (rate, indexes) = (Int64(timeline.format.rate.hertz), microphoneRates.indexes.hertz)
    let behind = max(0, aligner.missingFrames) * input.sampleCount
    // The place of the samples that belong to those of the microphone that come next.
    let now = timeline.taken + Int64(behind) + Int64(microphone.waiting) * rate / Int64(indexes)
    let skipped = pauses?.place(firstSample, in: &timeline, now: now) ?? 0
    if skipped != 0 { aligner.forgetArrivals() }
    let expected = timeline.arrived
    let missing = try timeline.append(samples, firstSample: firstSample)
    pauses?.appended(to: timeline, now: now)
    aligner.recordArrival(
      reference: Double(timeline.arrived) / Double(rate),
      microphone: Double(microphone.arrived) / Double(indexes))
    // The place of a sample that is repeated, or comes while the microphone stands still, is not its own.
    if let deviceTime, !timeline.isResting, timeline.arrived > expected {
      let first = firstSample.map { timeline.index(of: $0) } ?? expected
      recordPlayback(sample: first, at: deviceTime)
    }
    return max(0, skipped) + missing
  }

  /// Keeps only the newest samples until the microphone goes on.
  mutating func rest() { timeline.rest() }

  /// Records that the microphone went on after a gap of samples. `isOver` tells whether its samples arrive
  /// again.
  mutating func microphoneWentOn(afterGap gap: Int64, isOver: Bool) {
    let (rate, indexes) = (Int64(timeline.format.rate.hertz), microphoneRates.indexes.hertz)
    timeline.microphoneWentOn(afterGap: gap * rate / Int64(indexes), isOver: isOver)
  }

  /// Records when the device captured a sample of the microphone.
  mutating func recordCapture(sample: Int64, at time: Duration) {
    guard source != .none else { return }
    let (indexes, frames) = (Int64(microphoneRates.indexes.hertz), microphoneRates.frames.hertz)
    aligner.recordCapture(sample: sample * Int64(frames) / indexes, at: time)
  }

  /// Records when the device played a sample of the reference. `added` is by how many samples it was
  /// later than the previous report implied, and `rate` is by how many parts per million the playback
  /// runs faster than the device's clock from then on.
  mutating func recordPlayback(sample: Int64, at time: Duration, added: Int64 = 0, rate: Double = 0)
  {
    aligner.recordPlayback(sample: sample, at: time, added: added, rate: rate)
  }

  /// Whether there is a reference for the microphone's next frame.
  var isHere: Bool {
    guard source == .client else { return true }
    let waiting = timeline.waiting / input.sampleCount
    return aligner.hasReference(afterFrames: max(0, min(waiting, aligner.missingFrames + 1)))
  }

  /// Makes `aligned` for a frame of the microphone. `mix` is the frame that this session plays at
  /// the same time. `explainedShare` is the part of the last frames of the microphone that the
  /// canceller predicts. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: The change of the echo path, and whether there was no reference.
  mutating func advance(
    microphone: borrowing Frame, mix: borrowing Frame, explainedShare: Float
  ) -> (change: ReferenceAligner.Change, isMissing: Bool) {
    guard source != .none else { return (.none, false) }
    let change = aligner.append(
      microphone: microphone, isExplained: explainedShare >= Self.leastExplained)
    timing.advance()
    newestMeanSquare = 0
    if source == .client {
      appendWhatCame()
    } else {
      recordLevels(peak: mix.peak, meanSquare: mix.meanSquare)
      aligner.append(reference: mix)
    }
    let isMissing = !aligner.hasReference(afterFrames: 0)
    path = path(after: change)
    aligner.read(into: aligned)
    timing.record(
      isLoud: aligned.peak > Self.leastPeak, isMicrophoneSilent: microphone.peak == 0)
    return (change, isMissing)
  }

  private mutating func path(after change: ReferenceAligner.Change) -> EchoConditions.Path {
    guard !isPathNew else {
      isPathNew = false
      return .new
    }
    if aligner.hasHeardEcho { isLagExpected = false }
    guard status.echoDelay != nil, !isLagExpected else { return .unknown }
    // The canceller has already noticed an echo that moved without its reference.
    let samples = aligner.movedSamples
    return change == .moved && samples != 0 ? .moved(samples: samples) : .steady
  }

  private mutating func appendWhatCame() {
    while aligner.missingFrames > 0, timeline.hasFrame || isAtEnd && timeline.waiting > 0 {
      appendNext()
    }
    // Frames that have not arrived by now count as lost.
    while aligner.missingFrames > ReferenceAligner.longestWait { appendNext() }
  }

  private mutating func appendNext() {
    timeline.read(into: input)
    recordLevels(peak: input.peak, meanSquare: input.meanSquare)
    if let hasGaps = gapDetector?.process(input) { self.hasGaps = hasGaps }
    aligner.append(reference: input)
  }

  private mutating func recordLevels(peak: Float, meanSquare: Float) {
    if peak > Self.leastPeak { timing.played() }
    newestMeanSquare = meanSquare
  }
}

/// The frames since the reference was loud, and thus whether its echo may be heard.
private struct EchoTiming {
  /// The frames for which a room sounds after the reference, and the longest time from the reference
  /// to the end of its echo.
  private static let tailFrames = 15
  private static let longestEchoFrames = 100 + tailFrames
  /// The frames of silence, after that in which an echo comes, which only a muted microphone has.
  private static let silenceOfMute = 5

  /// The frames after which an echo has come for sure.
  private let latestEcho: Int
  private var framesSincePlayed = longestEchoFrames
  private var framesSinceAligned = longestEchoFrames
  /// Whether the aligned reference was loud enough to be heard: a bit a frame, the last one lowest.
  private var loudFrames: UInt32 = 0
  /// The frames of digital silence in the microphone, up to now.
  private var silentFrames = 0

  init(latestEcho: Int) { self.latestEcho = latestEcho }

  func mayBeHeard(isLagKnown: Bool) -> Bool {
    isLagKnown
      ? framesSinceAligned < Self.tailFrames : framesSincePlayed < Self.longestEchoFrames
  }

  /// Whether the microphone is silent, also where the echo of a loud reference must be.
  var lacksEcho: Bool {
    silentFrames >= latestEcho + Self.silenceOfMute
      && loudFrames >> latestEcho & ((1 << Self.silenceOfMute) - 1) != 0
  }

  /// Begins the next frame.
  mutating func advance() {
    framesSincePlayed = min(framesSincePlayed + 1, Self.longestEchoFrames)
  }

  /// Records that a loud frame of the reference came.
  mutating func played() { framesSincePlayed = 0 }

  /// Records the aligned reference and the microphone of a frame.
  mutating func record(isLoud: Bool, isMicrophoneSilent: Bool) {
    framesSinceAligned = isLoud ? 0 : min(framesSinceAligned + 1, Self.longestEchoFrames)
    loudFrames = loudFrames << 1 | (isLoud ? 1 : 0)
    silentFrames = isMicrophoneSilent ? min(silentFrames + 1, Self.longestEchoFrames) : 0
  }
}
