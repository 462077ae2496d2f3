import Testing
import VoiceEngines
import VoiceSessions

struct ConfigurationTests {
  @Test func aPartThatIsSetOverridesItsMode() {
    var configuration = SessionConfiguration()
    configuration.preferredMicMode = .wideSpectrum
    #expect(configuration.engineSettings(for: .wideSpectrum) == MicMode.wideSpectrum.settings)
    configuration.voiceProcessing.noiseSuppression = .on(.high)
    configuration.voiceProcessing.echoCancellation = .off
    let settings = configuration.engineSettings(for: .wideSpectrum)
    #expect(settings == EngineSettings(noiseSuppression: .high))
  }

  @Test func theModesRunTheirStages() {
    let standard = MicMode.standard.settings
    #expect(standard.echoSuppression == .moderate && standard.noiseSuppression == .moderate)
    #expect(standard.gainTarget != nil && !standard.isolatesVoice)
    let isolation = MicMode.voiceIsolation.settings
    #expect(isolation.echoSuppression == .high && isolation.noiseSuppression == .veryHigh)
    #expect(isolation.isolatesVoice)
    let wide = MicMode.wideSpectrum.settings
    #expect(wide.echoSuppression == .low && wide.noiseSuppression == nil)
    #expect(wide.gainTarget == nil)
  }

  @Test func aResolvedConfigurationMeansTheSame() {
    for mode in MicMode.allCases {
      var configuration = SessionConfiguration()
      configuration.preferredMicMode = mode
      let resolved = configuration.resolved
      #expect(resolved.voiceProcessing.gainControl != nil)
      #expect(resolved.engineSettings(for: mode) == configuration.engineSettings(for: mode))
      #expect(resolved.resolved == resolved)
    }
  }

  @Test func aResolvedStageThatIsOffHasTheStrengthAtWhichItWouldRun() {
    var configuration = SessionConfiguration()
    configuration.preferredMicMode = .voiceIsolation
    configuration.voiceProcessing.echoCancellation = .off(keeping: .low)
    configuration.voiceProcessing.noiseSuppression = .off
    let resolved = configuration.resolved.voiceProcessing
    #expect(resolved.echoCancellation == .off(keeping: .low))
    #expect(resolved.noiseSuppression == .off(keeping: .veryHigh))
    let settings = configuration.engineSettings(for: .voiceIsolation)
    #expect(settings.echoSuppression == nil && settings.noiseSuppression == nil)
  }
}
