internal import SwiftProtobuf
public import VoiceSessions

extension SessionControl {
  /// Throws for a control that this version does not offer.
  public init(_ control: Anechoic_V1_Control) throws(Refusal) {
    let change: Change
    switch control.control {
    case .updateConfig(let update):
      change = .configuration { configuration throws(Refusal) in
        do throws(InvalidField) {
          return try configuration.updated(by: update, path: "control.update_config")
        } catch {
          throw Refusal(error)
        }
      }
    case .setMute: throw Refusal(.unsupported("control.set_mute"))
    case .decideMuteGesture: throw Refusal(.unsupported("control.decide_mute_gesture"))
    case .decideInjectionPermission:
      throw Refusal(.unsupported("control.decide_injection_permission"))
    case .clearPlayback_p: throw Refusal(.unsupported("control.clear_playback"))
    case nil: throw Refusal(InvalidField("control", "says nothing to do"))
    }
    self.init(
      id: control.controlID, atSample: control.hasAtSample ? control.atSample : nil, change)
  }
}

extension Refusal {
  fileprivate init(_ field: InvalidField) {
    self.init(
      field.isUnsupported ? .unsupported : .invalid,
      reason: field.isUnsupported ? "UNSUPPORTED" : "INVALID_FIELD", message: field.description)
  }
}

extension Anechoic_V1_ControlResult {
  public init(_ result: ControlResult) {
    self.init()
    controlID = result.id
    appliedAtSample = result.appliedAtSample
    guard let refused = result.refusal else { return }
    refusal = .with {
      $0.code = refused.kind.code
      $0.reason = refused.reason
      $0.message = refused.message
    }
  }
}

extension Refusal.Kind {
  /// Of google.rpc.Code.
  fileprivate var code: Int32 {
    switch self {
    case .invalid: 3  // INVALID_ARGUMENT
    case .tooMany: 8  // RESOURCE_EXHAUSTED
    case .tooLate: 9  // FAILED_PRECONDITION
    case .unsupported: 12  // UNIMPLEMENTED
    }
  }
}
