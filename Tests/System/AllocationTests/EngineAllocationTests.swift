import AudioCore
import BundledEngines
import CAllocationCounter
import TestAudio
import Testing
import VoiceEngines

/// The allocations of each engine for its frames, as the contract of `VoiceEngine` says.
struct EngineAllocationTests {
  private static let settings: [EngineSettings] = {
    let standard = EngineSettings(
      echoSuppression: .moderate, noiseSuppression: .moderate, gainTarget: 3, highPassFilter: true)
    var reduced = standard
    reduced.isReduced = true
    return [
      EngineSettings(isBypassed: true), standard, reduced,
      EngineSettings(
        echoSuppression: .high, noiseSuppression: .veryHigh, gainTarget: 3, highPassFilter: true,
        isolatesVoice: true),
    ]
  }()

  @Test(arguments: EngineCatalog.bundled.names, AudioFormat.channelCounts)
  func processingAllocatesNothing(name: String, channelCount: Int) throws {
    let engine = try EngineCatalog.bundled.engine(named: name)
    for rate in engine.processingRates {
      for referenceRate in [nil, rate, .hz24000] {
        let format = EngineFormat(
          rate: rate, channelCount: channelCount,
          reference: referenceRate.map { .init(rate: $0, channelCount: channelCount) })
        let count = try allocations(engine, format)
        #expect(count == 0, "\(rate), reference: \(String(describing: referenceRate))")
      }
    }
  }

  @Test(arguments: EngineCatalog.bundled.names)
  func detectingSpeechAllocatesNothing(name: String) throws {
    let rate = SampleRate.hz16000
    let detector = try EngineCatalog.bundled.engine(named: name).makeSpeechDetector(rate: rate)
    let frame = Frame(rate: rate, channelCount: 1)
    for index in 0..<rate.samplesPerFrame { frame.plane(0)[index] = index % 40 < 20 ? 0.1 : -0.1 }
    _ = detector.hasVoice(frame)
    allocation_counter_start()
    for _ in 0..<100 { _ = detector.hasVoice(frame) }
    #expect(allocation_counter_stop() == 0)
  }

  private func allocations(
    _ engineType: any VoiceEngine.Type, _ format: EngineFormat
  ) throws -> Int64 {
    let (rate, channelCount) = (format.rate, format.channelCount)
    let engine = try engineType.init(format: format, settings: Self.settings[0])
    let microphone = Frame(rate: rate, channelCount: channelCount)
    let played = Frame(rate: format.reference?.rate ?? rate, channelCount: channelCount)
    let output = Frame(rate: rate, channelCount: channelCount)
    let noise = Signals.noise(rate.samplesPerFrame * 101, amplitude: 0.05)
    func run(frames: Int) -> Int64 {
      allocation_counter_start()
      for frame in 0..<frames {
        for channel in 0..<channelCount {
          for index in 0..<rate.samplesPerFrame {
            microphone.plane(channel)[index] = noise[frame % 100 * rate.samplesPerFrame + index]
          }
          for index in 0..<played.sampleCount {
            played.plane(channel)[index] = noise[frame % 99 * rate.samplesPerFrame + index]
          }
        }
        let conditions = EchoConditions(path: Self.path(ofFrame: frame))
        _ = engine.process(
          microphone: microphone, reference: played, conditions: conditions, into: output)
      }
      return allocation_counter_stop()
    }
    var count: Int64 = 0
    for settings in Self.settings {
      engine.apply(settings, after: 0)
      // Libwebrtc allocates in the first frames of a stage.
      if engineType.identity.name == "webrtc-audio-processing" { _ = run(frames: 50) }
      count += run(frames: 200)
    }
    return count
  }

  /// Every kind of echo path in turn.
  private static func path(ofFrame frame: Int) -> EchoConditions.Path {
    switch frame % 100 {
    case 0: .new
    case let part where part % 10 == 9: .unknown
    case let part where part % 10 == 0: .moved(samples: 40)
    default: .steady
    }
  }
}
