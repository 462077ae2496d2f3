import AudioCore
import BundledEngines
import CAllocationCounter
import Testing
import VoiceEngines

/// The memory that each session with the engine `anechoic` adds, without the weights and tables
/// that all sessions share.
struct EngineMemoryTests {
  /// In KiB. A third of the memory at 32 and 48 kHz is the past that the canceller learns from once
  /// it knows the delay of the echo. The networks that isolate a voice take 13 KiB, and the one that
  /// knows instruments 28 KiB.
  @Test(arguments: [(SampleRate.hz8000, 328), (.hz16000, 338), (.hz32000, 438), (.hz48000, 532)])
  func anEngineFitsIntoItsMemory(rate: SampleRate, most: Int) throws {
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
      #expect((1...most * 1024).contains(Int(bytes)), "\(bytes) bytes")
    }
  }
}
