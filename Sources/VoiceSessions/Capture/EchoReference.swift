internal import Alignment
internal import AudioCore
internal import VoiceEngines

/// What the echo canceller gets as its reference: what the client taps at the loudspeaker, or else
/// what this session mixes for it, brought to lead the echo by a steady time.
struct EchoReference: ~Copyable {
  private enum Source { case client, playback, none }

  /// Above this, -60 dBFS, a reference is heard.
  private static let leastPeak: Float = 0.001
  /// So long a room sounds after, and the reference comes before.
  private static let tailFrames = 15
  private static let longestEchoFrames = 100 + tailFrames

  /// Of the client's reference.
  var timeline: InputTimeline
  /// The reference for the frame that the microphone is at.
  let aligned: Frame
  /// No more of it comes than waits.
  var isAtEnd = false
  private let source: Source
  private let microphoneRates: (indexes: SampleRate, frames: SampleRate)
  private var aligner: ReferenceAligner
  private let input: Frame
  private var framesSincePlayed: Int
  private var framesSinceAligned: Int
  /// Whether `aligned` was loud enough to be heard: a bit a frame, the last one lowest.
  private var loudFrames: UInt8 = 0

  init(_ setup: SessionSetup, _ capture: borrowing CapturePipeline, _ engine: any VoiceEngine.Type)
    throws
  {
    source = setup.reference != nil ? .client : setup.playback != nil ? .playback : .none
    let format = setup.echoReference ?? setup.microphone
    timeline = InputTimeline(format: format)
    aligned = Frame(rate: format.rate, channelCount: format.channelCount)
    input = Frame(rate: format.rate, channelCount: format.channelCount)
    framesSincePlayed = Self.longestEchoFrames
    framesSinceAligned = Self.longestEchoFrames
    microphoneRates = (setup.microphone.rate, capture.format.rate)
    aligner = try ReferenceAligner(
      microphone: capture.format.rate, reference: format.rate,
      referenceChannelCount: format.channelCount,
      heldBack: capture.heldBack,
      leads: .init(best: engine.bestReferenceLead, good: engine.goodReferenceLeads))
  }

  var status: AlignmentStatus { aligner.status }

  /// Whether what was played may still be heard in the microphone.
  var mayBeHeard: Bool {
    status.echoDelay == nil
      ? framesSincePlayed < Self.longestEchoFrames : framesSinceAligned < Self.tailFrames
  }

  /// Whether the microphone must hear something of what was played, 30 to 80 ms ago: the best lead is
  /// shorter.
  var mustBeHeard: Bool { loudFrames & 0xF8 != 0 }

  /// Forgets the echo's way: it takes another one now.
  mutating func reset() { aligner.reset() }

  /// Takes in when the device captured a sample of the microphone.
  mutating func noteCapture(sample: Int64, at time: Duration) {
    guard source != .none else { return }
    let (indexes, frames) = (Int64(microphoneRates.indexes.hertz), microphoneRates.frames.hertz)
    aligner.noteCapture(sample: sample * Int64(frames) / indexes, at: time)
  }

  /// Takes in when the device played a sample of the reference, by how many samples later than the one
  /// before said, and by how many parts per million faster than by its clock it goes on.
  mutating func notePlayback(sample: Int64, at time: Duration, added: Int64 = 0, rate: Double = 0) {
    aligner.notePlayback(sample: sample, at: time, added: added, rate: rate)
  }

  /// Whether there is a reference for the microphone's next frame.
  var isHere: Bool {
    guard source == .client else { return true }
    let waiting = timeline.waiting / input.sampleCount
    return aligner.hasReference(afterFrames: min(waiting, aligner.missingFrames + 1))
  }

  /// Makes `aligned` for a frame of the microphone. `mix` is what this session plays meanwhile.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether the echo is elsewhere than before, and whether there was no reference.
  mutating func advance(
    microphone: borrowing Frame, mix: borrowing Frame
  ) -> (hasMoved: Bool, isMissing: Bool) {
    guard source != .none else { return (false, false) }
    let hasMoved = aligner.append(microphone: microphone)
    framesSincePlayed = min(framesSincePlayed + 1, Self.longestEchoFrames)
    if source == .client {
      appendWhatCame()
    } else {
      if mix.peak > Self.leastPeak { framesSincePlayed = 0 }
      aligner.append(reference: mix)
    }
    let isMissing = !aligner.hasReference(afterFrames: 0)
    aligner.read(into: aligned)
    let isLoud = aligned.peak > Self.leastPeak
    framesSinceAligned = isLoud ? 0 : min(framesSinceAligned + 1, Self.longestEchoFrames)
    loudFrames = loudFrames << 1 | (isLoud ? 1 : 0)
    return (hasMoved, isMissing)
  }

  private mutating func appendWhatCame() {
    while aligner.missingFrames > 0, timeline.hasFrame || isAtEnd && timeline.waiting > 0 {
      appendNext()
    }
    // What has not come by now does not come any more.
    while aligner.missingFrames > ReferenceAligner.longestWait { appendNext() }
  }

  private mutating func appendNext() {
    timeline.take(into: input)
    if input.peak > Self.leastPeak { framesSincePlayed = 0 }
    aligner.append(reference: input)
  }
}
