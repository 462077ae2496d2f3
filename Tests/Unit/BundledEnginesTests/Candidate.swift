import AudioCore
import BundledEngines
import Testing
import VoiceEngines

/// An engine that has to keep the contract of `VoiceEngine`.
struct Candidate: Sendable, CustomTestStringConvertible {
  /// The engines of this package's programs.
  static let all = EngineCatalog.bundled.engines.map { Candidate(engine: $0) }

  /// Each engine with each of its rates.
  static let allWithRates = all.flatMap { candidate in
    candidate.engine.processingRates.map { CandidateRate(candidate: candidate, rate: $0) }
  }

  let engine: any VoiceEngine.Type

  var testDescription: String { engine.identity.name }
}

/// An engine at one of its rates.
struct CandidateRate: Sendable, CustomTestStringConvertible {
  let candidate: Candidate
  let rate: SampleRate

  var engine: any VoiceEngine.Type { candidate.engine }
  var testDescription: String { "\(candidate.testDescription) at \(rate.hertz) Hz" }
}

extension EngineSettings {
  /// All stages of the standard mic mode.
  static let standard = EngineSettings(
    echoSuppression: .moderate, noiseSuppression: .moderate, gainTarget: 3, highPassFilter: true)

  /// No stage, each stage alone, and all together.
  static let stages: [EngineSettings] = [
    EngineSettings(isBypassed: true),
    EngineSettings(),
    EngineSettings(echoSuppression: .low),
    EngineSettings(noiseSuppression: .low),
    EngineSettings(gainTarget: 20),
    EngineSettings(highPassFilter: true),
    EngineSettings(isolatesVoice: true),
    .standard,
  ]
}
