import AudioCore
@testable import SessionWire
import SwiftProtobuf
import Testing
import VoiceEngines
import VoiceSessions

@testable import AnechoicAPI

struct ConversionTests {
  @Test func aConfigurationSurvivesTheWayThereAndBack() throws {
    var configuration = SessionConfiguration()
    configuration.preferredMicMode = .voiceIsolation
    configuration.voiceProcessing.isBypassed = true
    configuration.voiceProcessing.echoCancellation = .off
    configuration.voiceProcessing.noiseSuppression = .on(.veryHigh)
    configuration.voiceProcessing.gainControl = .on(17)
    configuration.voiceProcessing.highPassFilter = false
    configuration.voiceActivity.isEnabled = true
    configuration.voiceActivity.hangover = .milliseconds(1500)
    var quiet = configuration
    quiet.voiceProcessing.echoCancellation = .off(keeping: .low)
    quiet.voiceProcessing.noiseSuppression = .off(keeping: .high)
    quiet.voiceProcessing.gainControl = .off(keeping: 9)
    for each in [configuration, quiet, SessionConfiguration(), configuration.resolved] {
      let message = Anechoic_V1_SessionConfig(each)
      #expect(try SessionConfiguration(message, path: "config") == each)
    }
  }

  @Test func anUpdateChangesWhatItsMaskNamesAndNothingElse() throws {
    var configuration = SessionConfiguration()
    configuration.voiceProcessing.gainControl = .on(10)
    configuration.voiceProcessing.noiseSuppression = .on(.low)
    let update = Anechoic_V1_ConfigUpdate.with {
      $0.config.preferredMicMode = .wideSpectrum
      $0.config.voiceProcessing.noiseSuppression.enabled = true
      $0.config.voiceProcessing.noiseSuppression.level = .high
      $0.updateMask.paths = ["voice_processing.noise_suppression.level"]
    }
    var expected = configuration
    expected.voiceProcessing.noiseSuppression = .on(.high)
    #expect(try configuration.updated(by: update, path: "config", mask: "mask") == expected)
  }

  /// A stage that has no strength of its own takes that of the mode of the time.
  @Test func aStageThatIsSwitchedOffAndOnAgainKeepsItsStrength() throws {
    let masks = [
      "voice_processing.echo_cancellation.enabled", "voice_processing.noise_suppression.enabled",
      "voice_processing.gain_control.enabled",
    ]
    func switched(
      _ isOn: Bool, _ configuration: SessionConfiguration, mode: Anechoic_V1_MicMode? = nil
    ) throws -> SessionConfiguration {
      let update = Anechoic_V1_ConfigUpdate.with {
        $0.config.voiceProcessing.echoCancellation.enabled = isOn
        $0.config.voiceProcessing.noiseSuppression.enabled = isOn
        $0.config.voiceProcessing.gainControl.enabled = isOn
        if let mode { $0.config.preferredMicMode = mode }
        $0.updateMask.paths = masks + (mode == nil ? [] : ["preferred_mic_mode"])
      }
      return try configuration.updated(by: update, path: "config", mask: "mask")
    }
    for mode in MicMode.allCases {
      var given = SessionConfiguration()
      given.preferredMicMode = mode
      given.voiceProcessing.echoCancellation = .on(.low)
      given.voiceProcessing.noiseSuppression = .on(.high)
      given.voiceProcessing.gainControl = .on(9)
      let off = try switched(false, given)
      #expect(off.engineSettings(for: mode).echoSuppression == nil)
      #expect(off.engineSettings(for: mode).noiseSuppression == nil)
      #expect(off.engineSettings(for: mode).gainTarget == nil)
      #expect(try switched(true, off) == given)
    }
    var isolation = SessionConfiguration()
    isolation.preferredMicMode = .voiceIsolation
    let on = try switched(true, switched(false, isolation))
    #expect(on.engineSettings(for: .voiceIsolation) == MicMode.voiceIsolation.settings)
    let changed = try switched(true, switched(false, SessionConfiguration()), mode: .voiceIsolation)
    #expect(changed == on)
    var wide = SessionConfiguration()
    wide.preferredMicMode = .wideSpectrum
    #expect(try switched(true, wide).voiceProcessing.noiseSuppression == .on(.moderate))
  }

  @Test func aStrengthThatIsSetWhileItsStageIsOffCountsLater() throws {
    var configuration = SessionConfiguration()
    configuration.voiceProcessing.noiseSuppression = .off
    var update = Anechoic_V1_ConfigUpdate.with {
      $0.config.voiceProcessing.noiseSuppression.level = .low
      $0.updateMask.paths = ["voice_processing.noise_suppression.level"]
    }
    configuration = try configuration.updated(by: update, path: "config", mask: "mask")
    #expect(configuration.voiceProcessing.noiseSuppression == .off(keeping: .low))
    update.config.voiceProcessing.noiseSuppression.enabled = true
    update.updateMask.paths = ["voice_processing.noise_suppression.enabled"]
    configuration = try configuration.updated(by: update, path: "config", mask: "mask")
    #expect(configuration.voiceProcessing.noiseSuppression == .on(.low))
    // A whole stage without a level has the default, and so has a level that is cleared.
    update.config.voiceProcessing.noiseSuppression.level = .unspecified
    for path in ["voice_processing.noise_suppression", "voice_processing.noise_suppression.level"] {
      update.updateMask.paths = [path]
      configuration = try configuration.updated(by: update, path: "config", mask: "mask")
      #expect(configuration.voiceProcessing.noiseSuppression == .on(.moderate))
    }
  }

  @Test func aFieldBelowAStageThatFollowsItsModeLeavesTheStageOn() throws {
    let update = Anechoic_V1_ConfigUpdate.with {
      $0.config.voiceProcessing.noiseSuppression.level = .veryHigh
      $0.config.voiceProcessing.echoCancellation.suppression = .low
      $0.config.voiceProcessing.gainControl.targetLevelDbfs = 20
      $0.updateMask.paths = [
        "voice_processing.noise_suppression.level",
        "voice_processing.echo_cancellation.suppression",
        "voice_processing.gain_control.target_level_dbfs",
      ]
    }
    let updated = try SessionConfiguration().updated(by: update, path: "config", mask: "mask")
    #expect(updated.voiceProcessing.noiseSuppression == .on(.veryHigh))
    #expect(updated.voiceProcessing.echoCancellation == .on(.low))
    #expect(updated.voiceProcessing.gainControl == .on(20))
  }

  @Test func aPartThatTheMaskNamesAndTheUpdateLeavesOutFollowsItsModeAgain() throws {
    var configuration = SessionConfiguration()
    configuration.voiceProcessing.gainControl = .off
    configuration.voiceProcessing.highPassFilter = false
    let update = Anechoic_V1_ConfigUpdate.with {
      $0.updateMask.paths = ["voice_processing.gain_control", "voice_processing.high_pass_filter"]
    }
    #expect(
      try configuration.updated(by: update, path: "config", mask: "mask") == SessionConfiguration())
  }

  @Test func aMaskThatNamesNothingOrNoFieldIsRefused() {
    func refused(_ paths: [String]) -> InvalidFieldError? {
      let update = Anechoic_V1_ConfigUpdate.with { $0.updateMask.paths = paths }
      do {
        _ = try SessionConfiguration().updated(by: update, path: "config", mask: "update_mask")
        return nil
      } catch {
        return error
      }
    }
    #expect(refused([])?.path == "update_mask")
    #expect(refused((0..<51).map { "mute.\($0)" })?.problem.contains("50") == true)
    #expect(refused(["voice_processing.nonsense"])?.problem.contains("nonsense") == true)
    #expect(refused(["spatial_audio.enabled"]) == nil)
  }

  @Test func everyKnownFormatIsTakenAndShownAsItIs() throws {
    for rate in SampleRate.allCases {
      for encoding in SampleEncoding.allCases {
        let format = AudioFormat(encoding: encoding, rate: rate, channelCount: 2)
        #expect(try AudioFormat(input: Anechoic_V1_AudioFormat(format), path: "") == format)
        #expect(
          try AudioFormat(output: Anechoic_V1_AudioFormat(output: format), path: "") == format)
      }
    }
  }

  @Test func theDescriptorsOfEveryServiceAreThere() {
    let files = FileDescriptors.all()
    let services = files.flatMap { file in file.service.map { "\(file.package).\($0.name)" } }
    #expect(Set(services).isSuperset(of: [RPC.voiceProcessing, RPC.sessions, RPC.health]))
  }
}

extension SessionConfiguration {
  fileprivate func updated(
    by update: Anechoic_V1_ConfigUpdate, path: String, mask: String
  ) throws(InvalidFieldError) -> SessionConfiguration {
    try updated(by: ConfigurationPatch(update, path: path, mask: mask))
  }
}
