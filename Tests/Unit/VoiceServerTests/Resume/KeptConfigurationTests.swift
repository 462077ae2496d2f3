import AnechoicAPI
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// The configuration that a new session takes over.
struct KeptConfigurationTests {
  /// Returns a configuration as a server tells it, with all stages.
  private static func told(
    _ mode: Anechoic_V1_MicMode, noise: Bool = true
  ) -> Anechoic_V1_SessionConfig {
    .with {
      $0.preferredMicMode = mode
      $0.voiceProcessing.echoCancellation.enabled = true
      $0.voiceProcessing.noiseSuppression.enabled = noise
      $0.voiceProcessing.gainControl.enabled = true
      $0.voiceProcessing.highPassFilter = true
    }
  }

  @Test func stagesThatNobodySetFollowTheMicMode() {
    var kept = KeptConfiguration(.init(), told: Self.told(.standard))
    kept.changed(to: Self.told(.wideSpectrum, noise: false))
    #expect(kept.configuration.preferredMicMode == .wideSpectrum)
    #expect(kept.configuration.voiceProcessing == .init())
  }

  @Test func aStageThatTheStartOrAControlSetStays() {
    let start = Anechoic_V1_SessionConfig.with { $0.voiceProcessing.gainControl.enabled = false }
    var kept = KeptConfiguration(start, told: Self.told(.standard))
    kept.accepted(
      .with {
        $0.config.voiceProcessing.highPassFilter = true
        $0.updateMask.paths = ["voice_processing.high_pass_filter"]
      })
    kept.changed(to: Self.told(.wideSpectrum))
    let processing = kept.configuration.voiceProcessing
    #expect(processing.hasGainControl && processing.hasHighPassFilter)
    #expect(!processing.hasNoiseSuppression && !processing.hasEchoCancellation)
    kept.accepted(.with { $0.updateMask.paths = ["voice_processing"] })
    kept.changed(to: Self.told(.wideSpectrum))
    #expect(kept.configuration.voiceProcessing == .init())
  }

  /// A control whose answer was lost is answered only after the session has gone on, and told of its change.
  @Test func anAnswerMayComeAfterTheChange() {
    var kept = KeptConfiguration(.init(), told: Self.told(.standard))
    kept.changed(to: Self.told(.wideSpectrum))
    kept.accepted(
      .with {
        $0.config.preferredMicMode = .wideSpectrum
        $0.config.voiceProcessing.highPassFilter = true
        $0.updateMask.paths = ["preferred_mic_mode", "voice_processing.high_pass_filter"]
      })
    #expect(kept.configuration.preferredMicMode == .wideSpectrum)
    #expect(kept.configuration.voiceProcessing == .with { $0.highPassFilter = true })
  }

  @Test func aStageThatChangedWithoutTheMicModeWasSetBySomebody() {
    var kept = KeptConfiguration(.init(), told: Self.told(.standard))
    kept.changed(to: Self.told(.standard, noise: false))
    #expect(kept.configuration.voiceProcessing.hasNoiseSuppression)
    #expect(!kept.configuration.voiceProcessing.noiseSuppression.enabled)
    #expect(!kept.configuration.voiceProcessing.hasGainControl)
  }
}
