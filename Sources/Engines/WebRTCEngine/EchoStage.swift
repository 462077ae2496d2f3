internal import AudioCore
internal import VoiceEngines

/// The echo cancellation stage. Once it was on, it continues to learn while it is off, so that it
/// works at once when it is switched on again.
struct EchoStage: ~Copyable {
  private static let framesToPrime = 12
  /// The number of frames after a voice in which suppression stays low.
  private static let framesOfCare = 30

  var latencySamples: Int { choice.latencySamples }
  private let processor: WebRTCProcessor
  private var choice: AlignedSwitch
  private var isLearning: Bool
  private var reduction = EchoReductionMeter()
  private var suppression: EngineSettings.EchoSuppression
  private var framesSinceVoice = EchoStage.framesOfCare

  init(
    _ format: EngineFormat, _ suppression: EngineSettings.EchoSuppression?,
    _ search: WebRTCEchoSearch
  ) throws(EngineError) {
    processor = try WebRTCProcessor(format, search)
    processor.setEchoCancellation(suppression ?? .moderate)
    choice = AlignedSwitch(
      format, latencySamples: WebRTCLatency.echoCancellation(format.rate), isOn: suppression != nil)
    isLearning = suppression != nil
    self.suppression = suppression ?? .moderate
    prime(format)
  }

  /// Fills the library's buffers. The library passes its first frames through without delay until
  /// its buffers are full. These frames contain noise, because the library's noise estimate goes
  /// down quickly but does not come up from silence. The last of them, as many as the latency reaches
  /// into, are silent: the first real frame is joined to them.
  private func prime(_ format: EngineFormat) {
    guard let played = format.reference else { return }
    let reference = Frame(rate: played.rate, channelCount: played.channelCount)
    let input = Frame(rate: format.rate, channelCount: format.channelCount)
    let silentFrames = (latencySamples + input.sampleCount - 1) / input.sampleCount
    var noise: UInt32 = 1
    for frame in 1...Self.framesToPrime {
      for channel in 0..<input.channelCount {
        let plane = input.plane(channel)
        for index in plane.indices {
          noise = noise &* 1_664_525 &+ 1_013_904_223
          plane[index] =
            frame <= Self.framesToPrime - silentFrames
            ? 0.2 * (Float(noise) / Float(UInt32.max) - 0.5) : 0
        }
      }
      processor.analyzeReference(reference)
      processor.process(input, into: choice.processed)
    }
  }

  /// Switches the stage on or off after `samples` of the input.
  mutating func turn(on isOn: Bool, after samples: Int) {
    choice.turn(on: isOn, after: samples)
    if isOn { isLearning = true }
  }

  /// Sets the strength from the next frame on.
  mutating func set(_ suppression: EngineSettings.EchoSuppression) {
    guard suppression != self.suppression else { return }
    self.suppression = suppression
    framesSinceVoice = Self.framesOfCare
    processor.setEchoCancellation(suppression)
  }

  /// Records whether the output contains a voice. Moderate suppression becomes low while somebody
  /// talks, so that double talk keeps more of the near voice.
  mutating func record(hasVoice: Bool) {
    guard isLearning, suppression == .moderate else { return }
    let wasCareful = framesSinceVoice < Self.framesOfCare
    framesSinceVoice = hasVoice ? 0 : min(framesSinceVoice + 1, Self.framesOfCare)
    let isCareful = framesSinceVoice < Self.framesOfCare
    guard isCareful != wasCareful else { return }
    processor.setEchoCancellation(isCareful ? .low : .moderate)
  }

  mutating func process(
    _ input: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) {
    if choice.needsOnlyProcessed {
      cancel(input, reference, into: output)
      reduction.process(reference: reference, input: input, output: output)
      choice.skip(input)
      return
    }
    if isLearning {
      cancel(input, reference, into: choice.processed)
      reduction.process(reference: reference, input: input, output: choice.processed)
    }
    choice.select(input, into: output)
  }

  private func cancel(
    _ input: borrowing Frame, _ reference: borrowing Frame, into output: borrowing Frame
  ) {
    processor.analyzeReference(reference)
    processor.process(input, into: output)
    output.silenceNonNumbers()
  }

  var metrics: EchoMetrics { isLearning ? processor.echoMetrics : EchoMetrics() }

  /// The reduction in dB. Nil until it is known.
  var echoReduction: Float? { isLearning ? reduction.reduction : nil }
}

extension Frame {
  /// Replaces NaN and infinite samples by silence. The library sometimes returns them if the
  /// microphone contains only echo, and later stages would never recover from them.
  fileprivate func silenceNonNumbers() {
    for channel in 0..<channelCount {
      let plane = plane(channel)
      for index in plane.indices where !plane[index].isFinite { plane[index] = 0 }
    }
  }
}

/// The way in which libwebrtc-audio-processing's canceller searches for the echo. It is fixed when
/// the canceller is created.
///
/// The default leaves the search to the aligner. With an aligned reference, a short filter without
/// a search removes as much echo and keeps more of the near voice
/// (docs/decisions/0006-echo-canceller-settings.md).
public struct WebRTCEchoSearch: Sendable, Equatable {
  /// Whether the filter covers 128 ms instead of 48 ms.
  public var hasExtendedFilter: Bool
  /// Whether the canceller finds the delay itself, with binary spectra.
  public var isDelayAgnostic: Bool
  /// The expected delay of the echo after the reference, 0 to 500 ms.
  public var delay: Duration

  public init(
    hasExtendedFilter: Bool = false, isDelayAgnostic: Bool = false, delay: Duration = .zero
  ) {
    self.hasExtendedFilter = hasExtendedFilter
    self.isDelayAgnostic = isDelayAgnostic
    self.delay = delay
  }
}
