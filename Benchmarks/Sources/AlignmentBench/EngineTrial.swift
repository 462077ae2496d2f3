internal import AcousticSimulator
internal import AudioCore
internal import VoiceEngines
internal import WebRTCEngine

/// A run of a recording through the engine alone, without a session. Only echo cancellation is on.
enum EngineTrial {
  static func run(
    _ recording: EchoScene.Recording, _ rate: SampleRate, _ search: WebRTCEchoSearch,
    suppression: EngineSettings.EchoSuppression = .moderate
  ) throws -> Score {
    let format = EngineFormat(
      rate: rate, channelCount: 1, reference: .init(rate: rate, channelCount: 1))
    let settings = EngineSettings(echoSuppression: suppression, highPassFilter: true)
    let engine = try WebRTCVoiceEngine(format: format, settings: settings, echoSearch: search)
    let (input, played, processed) = (FrameBox(rate), FrameBox(rate), FrameBox(rate))
    let size = rate.samplesPerFrame
    var output: [Float] = []
    var verdicts: [Bool] = []
    for frame in 0..<recording.microphone.count / size {
      input.fill(recording.microphone, frame * size)
      played.fill(recording.reference, frame * size)
      let findings = engine.process(
        microphone: input.frame, reference: played.frame, conditions: EchoConditions(),
        into: processed.frame)
      verdicts.append(findings.hasVoice)
      output.append(contentsOf: processed.frame.plane(0))
    }
    return Score(
      recording, rate, output: output, latency: WebRTCVoiceEngine.latencySamples(format),
      hasVoice: verdicts)
  }
}

extension WebRTCEchoSearch {
  /// The search for the echo that the service used before it aligned references.
  static let unaided = WebRTCEchoSearch(hasExtendedFilter: true, isDelayAgnostic: true)
}

/// A frame in a class, so that an array can contain it.
final class FrameBox {
  let frame: Frame

  init(_ rate: SampleRate) { frame = Frame(rate: rate, channelCount: 1) }

  /// Fills the frame with the samples from `start` on. The rest of the frame is silence.
  func fill(_ samples: [Float], _ start: Int) {
    let plane = frame.plane(0)
    for index in plane.indices {
      plane[index] = samples.indices.contains(start + index) ? samples[start + index] : 0
    }
  }
}
