import AudioCore
import VoiceEngines
import WebRTCEngine

/// The output of an engine for whole signals.
struct EngineRun {
  var output: [[Float]]
  var findings: [FrameFindings]
  var echoMetrics: EchoMetrics
  var latencySamples: Int

  /// Processes planes of the microphone and the reference. `changes` are settings that apply from a
  /// frame on.
  init(
    _ settings: EngineSettings, rate: SampleRate, microphone: [[Float]],
    reference: [[Float]]? = nil, changes: [Int: EngineSettings] = [:]
  ) throws {
    let format = EngineFormat(
      rate: rate, channelCount: microphone.count,
      reference: reference.map { .init(rate: rate, channelCount: $0.count) })
    let engine = try WebRTCVoiceEngine(format: format, settings: settings)
    let input = Frame(rate: rate, channelCount: microphone.count)
    let played = Frame(rate: rate, channelCount: reference?.count ?? 1)
    let processed = Frame(rate: rate, channelCount: microphone.count)
    output = microphone.map { _ in [] }
    findings = []
    let size = rate.samplesPerFrame
    for frame in 0..<((microphone.first?.count ?? 0) / size) {
      if let change = changes[frame] { engine.apply(change) }
      for channel in microphone.indices {
        for index in 0..<size {
          input.plane(channel)[index] = microphone[channel][frame * size + index]
        }
      }
      if let reference {
        for channel in reference.indices {
          for index in 0..<size {
            played.plane(channel)[index] = reference[channel][frame * size + index]
          }
        }
      }
      findings.append(engine.process(
          microphone: input, reference: played, conditions: EchoConditions(), into: processed))
      for channel in output.indices { output[channel].append(contentsOf: processed.plane(channel)) }
    }
    echoMetrics = engine.echoMetrics
    latencySamples = WebRTCVoiceEngine.latencySamples(format)
  }
}
