internal import AudioCore

/// The outputs of the microphone: the processed one, and those for a recognizer and for a recording if
/// the session has them.
struct CaptureOutputs: ~Copyable {
  /// The time from the microphone to each output. Nil for an output that the session does not have.
  let latencies: (processed: Duration, recognizer: Duration?, raw: Duration?)
  private var main: MutedOutput
  private var bypass: ExactBypass?
  private var recognizer: RecognizerOutput?
  private var raw: RawOutput?

  init(_ setup: SessionSetup, _ pipeline: borrowing CapturePipeline) throws {
    let recognizer = try pipeline.recognizerOutput(setup)
    let raw = try pipeline.rawOutput(setup)
    latencies = (pipeline.delays.latency, Self.latency(recognizer), Self.latency(raw))
    main = MutedOutput(
      setup.processed, setup, latency: pipeline.delays.latency,
      latencySamples: pipeline.delays.latencySamples)
    bypass =
      ExactBypass.isNeeded(setup, pipeline)
      ? ExactBypass(setup, latencySamples: pipeline.delays.latencySamples) : nil
    self.recognizer = recognizer
    self.raw = raw
  }

  private static func latency(_ output: borrowing RecognizerOutput?) -> Duration? {
    switch output {
    case .some(let output): output.output.latency
    case .none: nil
    }
  }

  private static func latency(_ output: borrowing RawOutput?) -> Duration? {
    switch output {
    case .some(let output): output.output.latency
    case .none: nil
    }
  }

  /// The last frame of the processed output.
  var processed: Frame { _read { yield main.frame } }

  /// Applies a configuration from the microphone's sample on that comes after `samples` of the next
  /// frame, which are `engineSamples` of the output of the engine.
  mutating func apply(
    _ configuration: SessionConfiguration, after samples: Int, engineSamples: Int
  ) {
    bypass?.apply(configuration, after: samples)
    recognizer?.apply(configuration, after: engineSamples)
  }

  /// Mutes or unmutes all outputs from a sample of the microphone on.
  mutating func mute(_ isMuted: Bool, at sample: Int64) {
    main.mute(isMuted, at: sample)
    recognizer?.output.mute(isMuted, at: sample)
    raw?.output.mute(isMuted, at: sample)
  }

  /// Moves the last unmute, which no output has reached, to a later sample of the microphone.
  mutating func unmuteLater(at sample: Int64) {
    main.unmuteLater(at: sample)
    recognizer?.output.unmuteLater(at: sample)
    raw?.output.unmuteLater(at: sample)
  }

  /// Completes the outputs of a frame that the engine has processed. `directed` is the microphone in the
  /// direction of a pair, and `input` the same as the engine got it. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether mute silenced any of the frame.
  mutating func complete(
    captured: borrowing Frame, directed: borrowing Frame, input: borrowing Frame,
    _ injections: borrowing InjectionQueue
  ) -> Bool {
    bypass?.process(directed, into: main.frame)
    if injections.isHeardByFarEnd {
      main.frame.add(injections.processed, from: injections.firstGain, to: injections.lastGain)
    }
    main.limit()
    recognizer?.process(input, injections)
    raw?.process(captured)
    return main.applyMute()
  }

  /// Adds a share of the frame of each output, which is less than 1 for the last frame.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func add(share: Double, to chunks: inout OutputChunker) {
    chunks.add(main.frame, share: share, to: .processed)
    recognizer?.output.add(share: share, to: &chunks, .recognizer)
    raw?.output.add(share: share, to: &chunks, .raw)
  }
}
