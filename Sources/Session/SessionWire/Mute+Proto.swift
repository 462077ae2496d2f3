public import AnechoicAPI
internal import SwiftProtobuf
public import VoiceSessions

extension SessionConfiguration.Mute {
  /// The maximum timeout for a person's decision.
  private static let longestTimeout = Duration.seconds(60)

  init(_ settings: Anechoic_V1_MuteSettings, path: String) throws(InvalidFieldError) {
    self.init()
    switch settings.gesturePolicy {
    case .unspecified, .apply: gesturePolicy = .apply
    case .ask: gesturePolicy = .ask
    case .ignore: gesturePolicy = .ignore
    case .UNRECOGNIZED(let value):
      throw InvalidFieldError("\(path).gesture_policy", "\(value) is not a known policy")
    }
    if settings.hasGestureDecisionTimeout {
      decisionTimeout = try Duration(
        settings.gestureDecisionTimeout, upTo: Self.longestTimeout,
        path: "\(path).gesture_decision_timeout")
    }
    rejectsOnTimeout = settings.rejectGestureOnTimeout
    soundsChime = !settings.chimeDisabled
    detectsMutedTalker = !settings.mutedTalkerDetectionDisabled
  }
}

extension Anechoic_V1_MuteSettings {
  init(_ settings: SessionConfiguration.Mute) {
    self.init()
    switch settings.gesturePolicy {
    case .apply: gesturePolicy = .apply
    case .ask: gesturePolicy = .ask
    case .ignore: gesturePolicy = .ignore
    }
    gestureDecisionTimeout = Google_Protobuf_Duration(settings.decisionTimeout)
    rejectGestureOnTimeout = settings.rejectsOnTimeout
    chimeDisabled = !settings.soundsChime
    mutedTalkerDetectionDisabled = !settings.detectsMutedTalker
  }
}

extension Anechoic_V1_MuteState {
  public init(_ state: MuteState) {
    self.init()
    muted = state.isMuted
    generation = state.generation
    actor = state.origin.actor
    switch state.source {
    case .mediaClient: source = .mediaClient
    case .controlClient: source = .controlClient
    case .gesture: source = .gesture
    }
  }
}

extension Anechoic_V1_MuteGestureOutcome {
  public init(_ outcome: GestureOutcome) {
    switch outcome {
    case .applied: self = .applied
    case .rejected: self = .rejected
    case .timedOut: self = .timedOut
    case .ignored: self = .ignored
    }
  }
}
