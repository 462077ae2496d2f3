import AudioCore
import BundledEngines
import VoiceEngines
import VoiceSessions

/// A sink that keeps all output of a session.
final class RecordingSink: SessionSink {
  var processed: [UInt8] = []
  var playback: [UInt8] = []
  var recognizer: [UInt8] = []
  var raw: [UInt8] = []
  var firstSamples: [Int64] = []
  var frames: [FrameInfo] = []
  var events: [SessionEvent] = []
  var results: [ControlResult] = []
  var statistics: [SessionStatistics] = []
  var echoPaths: [EchoPath] = []
  var voiceprints: [Voiceprint] = []

  func emit(_ chunk: OutputChunk) {
    firstSamples.append(chunk.processed.firstSample)
    processed.append(contentsOf: chunk.processed.bytes)
    if let samples = chunk.playback { playback.append(contentsOf: samples.bytes) }
    if let samples = chunk.recognizer { recognizer.append(contentsOf: samples.bytes) }
    if let samples = chunk.raw { raw.append(contentsOf: samples.bytes) }
    frames.append(contentsOf: chunk.frames)
  }

  func emit(_ event: SessionEvent) { events.append(event) }
  func emit(_ result: ControlResult) { results.append(result) }
  func emit(_ statistics: SessionStatistics) { self.statistics.append(statistics) }
  func emit(_ path: EchoPath) { echoPaths.append(path) }
  func emit(_ voiceprint: Voiceprint) { voiceprints.append(voiceprint) }

  var kinds: [SessionEvent.Kind] { events.map(\.kind) }
}

/// A session and its sink. Its input is encoded samples.
final class SessionRun {
  let session: VoiceSession
  let sink = RecordingSink()

  /// Creates a session without injection, whose availability would be an event.
  init(_ setup: SessionSetup, engine: any VoiceEngine.Type = EngineCatalog.bundled.defaultEngine)
    throws
  {
    var setup = setup
    setup.configuration.acceptsInjection = false
    session = try VoiceSession(setup, engine: engine)
  }

  func send(
    microphone: [UInt8]? = nil, at microphoneSample: Int64? = nil, reference: [UInt8]? = nil,
    at referenceSample: Int64? = nil, gap: GapReason = .unspecified
  ) throws {
    if let reference { try append(reference, to: .reference, referenceSample, gap) }
    if let microphone { try append(microphone, to: .microphone, microphoneSample, gap) }
    session.process(sink: sink)
  }

  /// Sends whole inputs in chunks of `samples` samples of each.
  func send(
    microphone: [UInt8], in microphoneChunk: Int, reference: [UInt8]? = nil,
    in referenceChunk: Int = 0
  ) throws {
    var (microphone, reference) = (microphone[...], reference.map { $0[...] })
    while !microphone.isEmpty {
      let played = reference?.prefix(referenceChunk)
      try send(
        microphone: Array(microphone.prefix(microphoneChunk)), reference: played.map { Array($0) })
      microphone = microphone.dropFirst(microphoneChunk)
      reference = reference?.dropFirst(referenceChunk)
    }
  }

  /// Sends samples of an input other than the microphone, without processing.
  func play(_ bytes: [UInt8], to input: InputKind) throws {
    try append(bytes, to: input, nil, .unspecified)
  }

  func finish() { session.finish(.clientClosed, sink: sink) }

  private func append(
    _ bytes: [UInt8], to input: InputKind, _ firstSample: Int64?, _ gap: GapReason
  ) throws {
    guard !bytes.isEmpty || input == .microphone else { return }
    try bytes.withUnsafeBytes {
      try session.append($0, to: input, firstSample: firstSample, gap: gap, sink: sink)
    }
  }
}

extension SessionControl.Change {
  /// A change of the configuration that is never refused.
  static func edit(_ change: @escaping @Sendable (inout SessionConfiguration) -> Void) -> Self {
    .configuration { configuration throws(Refusal) in
      var changed = configuration
      change(&changed)
      return changed
    }
  }
}

extension ControlOrigin {
  static let mediaClient = ControlOrigin(actor: "media", isMediaClient: true)
}

extension AudioFormat {
  static let s16 = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)

  static func f32(_ rate: SampleRate, _ channelCount: Int = 1) -> AudioFormat {
    AudioFormat(encoding: .f32, rate: rate, channelCount: channelCount)
  }
}
