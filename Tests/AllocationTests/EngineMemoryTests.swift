import AudioCore
import BundledEngines
import CAllocationCounter
import Testing
import VoiceEngines

/// The memory that each session with the engine `anechoic` adds, without the weights and tables that
/// all sessions share.
struct EngineMemoryTests {
  private static let mostBytes = 307_200

  @Test(arguments: [SampleRate.hz8000, .hz16000, .hz32000, .hz48000])
  func anEngineFitsInto300KiB(rate: SampleRate) throws {
    let engine = try EngineCatalog.bundled.engine(named: "anechoic")
    let format = EngineFormat(
      rate: rate, channelCount: 1,
      reference: EngineFormat.Reference(rate: rate, channelCount: 1))
    let settings = EngineSettings(echoSuppression: .moderate, noiseSuppression: .moderate)
    // The first engine also creates what all engines share.
    let first = try engine.init(format: format, settings: settings)
    allocation_counter_start()
    let second = try engine.init(format: format, settings: settings)
    _ = allocation_counter_stop()
    let bytes = allocation_counter_bytes()
    withExtendedLifetime((first, second)) {
      #expect((1...Int64(Self.mostBytes)).contains(bytes), "\(bytes) bytes")
    }
  }
}
