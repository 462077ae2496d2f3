internal import AudioCore

/// The frame of an output of the microphone, with its limiter and its mute.
struct MutedOutput: ~Copyable {
  let frame: Frame
  /// The time from the microphone to this output.
  let latency: Duration
  private let rates: (microphone: Int64, output: Int64)
  private var limiter: Limiter
  private var gate: MuteGate
  private var sample: Int64 = 0

  /// Creates an output with this delay behind the microphone: `latency`, and the same in samples of the
  /// output.
  init(
    _ format: AudioFormat, _ setup: SessionSetup, latency: Duration, latencySamples: Int
  ) {
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    self.latency = latency
    rates = (Int64(setup.microphone.rate.hertz), Int64(format.rate.hertz))
    limiter = Limiter(rate: format.rate)
    gate = MuteGate(
      isOpen: !setup.startsMuted, latencySamples: latencySamples, rate: format.rate)
  }

  /// Mutes or unmutes from a sample of the microphone on.
  mutating func mute(_ isMuted: Bool, at sample: Int64) {
    let (input, output) = rates
    // Where the rates have no sample in common, the muted side takes the sample between.
    gate.turn(open: !isMuted, at: isMuted ? sample * output / input : openingSample(sample))
  }

  /// Moves the last unmute, which the output has not reached, to a later sample of the microphone.
  mutating func unmuteLater(at sample: Int64) { gate.openLater(at: openingSample(sample)) }

  private func openingSample(_ sample: Int64) -> Int64 {
    (sample * rates.output + rates.microphone - 1) / rates.microphone
  }

  /// Keeps the frame within full scale. Runs per frame: no allocation, lock, log or await.
  mutating func limit() { limiter.process(frame) }

  /// Silences what is muted of the frame. Call it once for each frame. Runs per frame: no allocation,
  /// lock, log or await.
  ///
  /// - Returns: Whether any sample was lowered.
  mutating func applyMute() -> Bool {
    defer { sample += Int64(frame.sampleCount) }
    return gate.process(frame, firstSample: sample)
  }

  /// Adds a share of the frame to the chunks. Runs per frame: no allocation, lock, log or await.
  mutating func add(share: Double, to chunks: inout OutputChunker, _ output: OutputKind) {
    chunks.add(frame, share: share, to: output)
  }
}
