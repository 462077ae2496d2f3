package import AnechoicAPI
internal import SwiftProtobuf

/// The configuration of the session that replaces a lost one. It includes the changes of other
/// clients.
///
/// The server reports configurations with all stages of `voice_processing`. A stage that nobody has
/// set is left out here, so that it follows the mic mode in the new session, too.
package struct KeptConfiguration {
  private enum Stage: String, CaseIterable {
    case echoCancellation = "voice_processing.echo_cancellation"
    case noiseSuppression = "voice_processing.noise_suppression"
    case gainControl = "voice_processing.gain_control"
    case highPassFilter = "voice_processing.high_pass_filter"

    /// Copies the stage from one configuration to another.
    func copy(
      from source: Anechoic_V1_VoiceProcessing, to target: inout Anechoic_V1_VoiceProcessing
    ) {
      switch self {
      case .echoCancellation: target.echoCancellation = source.echoCancellation
      case .noiseSuppression: target.noiseSuppression = source.noiseSuppression
      case .gainControl: target.gainControl = source.gainControl
      case .highPassFilter: target.highPassFilter = source.highPassFilter
      }
    }

    func isSet(in processing: Anechoic_V1_VoiceProcessing) -> Bool {
      switch self {
      case .echoCancellation: processing.hasEchoCancellation
      case .noiseSuppression: processing.hasNoiseSuppression
      case .gainControl: processing.hasGainControl
      case .highPassFilter: processing.hasHighPassFilter
      }
    }

    func differs(
      _ one: Anechoic_V1_VoiceProcessing, _ other: Anechoic_V1_VoiceProcessing
    ) -> Bool {
      var (first, second) = (Anechoic_V1_VoiceProcessing(), Anechoic_V1_VoiceProcessing())
      copy(from: one, to: &first)
      copy(from: other, to: &second)
      return first != second
    }
  }

  /// The configuration for a new session.
  package private(set) var configuration: Anechoic_V1_SessionConfig
  private var told: Anechoic_V1_SessionConfig
  private var chosen: Set<Stage>

  /// Starts with the configuration that a client asked for, and the one that the server reported.
  package init(_ configuration: Anechoic_V1_SessionConfig, told: Anechoic_V1_SessionConfig) {
    self.configuration = configuration
    self.told = told
    chosen = Set(Stage.allCases.filter { $0.isSet(in: configuration.voiceProcessing) })
  }

  /// Records a change that this client has asked for and the server has accepted. It comes before or after
  /// the `changed` of that change.
  package mutating func accepted(_ update: Anechoic_V1_ConfigUpdate) {
    for stage in Stage.allCases {
      let isNamed = update.updateMask.paths.contains { path in
        path == "voice_processing" || path == stage.rawValue
          || path.hasPrefix(stage.rawValue + ".")
      }
      guard isNamed else { continue }
      if stage.isSet(in: update.config.voiceProcessing) {
        chosen.insert(stage)
      } else {
        chosen.remove(stage)
      }
    }
    keepChosenStages()
  }

  /// Records a configuration that the server reports.
  package mutating func changed(to config: Anechoic_V1_SessionConfig) {
    if config.preferredMicMode == told.preferredMicMode {
      chosen.formUnion(
        Stage.allCases.filter { $0.differs(config.voiceProcessing, told.voiceProcessing) })
    }
    configuration = config
    told = config
    keepChosenStages()
  }

  private mutating func keepChosenStages() {
    var kept = Anechoic_V1_VoiceProcessing.with { $0.bypassed = told.voiceProcessing.bypassed }
    for stage in chosen { stage.copy(from: told.voiceProcessing, to: &kept) }
    configuration.voiceProcessing = kept
  }
}
