import AudioCore
import BundledEngines
import CAllocationCounter
import TestAudio
import Testing
import VoiceEngines

/// The allocations of each engine for its frames, as the contract of `VoiceEngine` says.
struct EngineAllocationTests {
  private static let settings: [EngineSettings] = [
    EngineSettings(isBypassed: true),
    EngineSettings(
      echoSuppression: .moderate, noiseSuppression: .moderate, gainTarget: 3, highPassFilter: true),
    EngineSettings(
      echoSuppression: .high, noiseSuppression: .veryHigh, gainTarget: 3, highPassFilter: true,
      isolatesVoice: true),
  ]

  @Test(arguments: EngineCatalog.bundled.names, AudioFormat.channelCounts)
  func processingAllocatesNothing(name: String, channelCount: Int) throws {
    let engine = try EngineCatalog.bundled.engine(named: name)
    for rate in engine.processingRates {
      let count = try allocations(engine, rate, channelCount)
      #expect(count == 0, "\(rate)")
    }
  }

  private func allocations(
    _ engineType: any VoiceEngine.Type, _ rate: SampleRate, _ channelCount: Int
  ) throws -> Int64 {
    let reference = EngineFormat.Reference(rate: rate, channelCount: channelCount)
    let format = EngineFormat(rate: rate, channelCount: channelCount, reference: reference)
    let engine = try engineType.init(format: format, settings: Self.settings[0])
    let microphone = Frame(rate: rate, channelCount: channelCount)
    let played = Frame(rate: rate, channelCount: channelCount)
    let output = Frame(rate: rate, channelCount: channelCount)
    let noise = Signals.noise(rate.samplesPerFrame * 101, amplitude: 0.05)
    func run(frames: Int) -> Int64 {
      allocation_counter_start()
      for frame in 0..<frames {
        for channel in 0..<channelCount {
          for index in 0..<rate.samplesPerFrame {
            microphone.plane(channel)[index] = noise[frame % 100 * rate.samplesPerFrame + index]
            played.plane(channel)[index] = noise[frame % 99 * rate.samplesPerFrame + index]
          }
        }
        let path: EchoConditions.Path = frame % 10 == 0 ? .moved(samples: 40) : .steady
        _ = engine.process(
          microphone: microphone, reference: played, conditions: EchoConditions(path: path),
          into: output)
      }
      return allocation_counter_stop()
    }
    var count: Int64 = 0
    for settings in Self.settings {
      engine.apply(settings)
      // The first frames include the cross-fade, and stages that run for the first time.
      _ = run(frames: 50)
      count += run(frames: 200)
    }
    return count
  }
}
