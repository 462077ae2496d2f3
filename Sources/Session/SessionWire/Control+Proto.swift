public import AnechoicAPI
internal import SwiftProtobuf
public import VoiceSessions

extension SessionControl {
  /// Converts a message. Throws for an invalid control.
  public init(_ control: Anechoic_V1_Control, by origin: ControlOrigin) throws(Refusal) {
    self.init(
      id: control.controlID, atSample: control.hasAtSample ? control.atSample : nil, by: origin,
      try Self.change(control.control))
  }

  /// Returns a change that replaces the fields that the mask of an update names. `path` and `mask`
  /// are the paths of the configuration and of the mask in the request. The mask is checked here,
  /// and not on the session's thread.
  public static func configuration(
    _ update: Anechoic_V1_ConfigUpdate, path: String, mask: String
  ) -> Change {
    let patch = Result { () throws(InvalidFieldError) in
      try ConfigurationPatch(update, path: path, mask: mask)
    }
    return .configuration { configuration throws(Refusal) in
      do throws(InvalidFieldError) {
        return try configuration.updated(by: patch.get())
      } catch {
        throw Refusal(error)
      }
    }
  }

  private static func change(
    _ control: Anechoic_V1_Control.OneOf_Control?
  ) throws(Refusal) -> Change {
    switch control {
    case .updateConfig(let update):
      return configuration(
        update, path: "control.update_config.config", mask: "control.update_config.update_mask")
    case .setMute(let mute):
      return .mute(mute.muted, ifGeneration: mute.hasIfGeneration ? mute.ifGeneration : nil)
    case .decideMuteGesture(let decision):
      return .gestureDecision(id: decision.gestureID, accept: decision.accept)
    case .decideInjectionPermission(let decision):
      guard !decision.client.isEmpty else {
        throw Refusal(
          InvalidFieldError("control.decide_injection_permission.client", "must name a client"))
      }
      return .injectionPermission(
        client: decision.client, grant: decision.grant, remember: decision.remember)
    case .clearPlayback_p: return .clearPlayback
    case .enrollVoice: return .enrollVoice
    case .setVoiceprint(let set): return .voiceprint(try voiceprint(set))
    case nil: throw Refusal(InvalidFieldError("control", "must contain a control"))
    }
  }

  private static func voiceprint(
    _ control: Anechoic_V1_SetVoiceprint
  ) throws(Refusal) -> Voiceprint? {
    guard control.hasVoiceprint else { return nil }
    do throws(InvalidFieldError) {
      return try Voiceprint(control.voiceprint, path: "control.set_voiceprint.voiceprint")
    } catch {
      throw Refusal(error)
    }
  }
}

extension Refusal {
  init(_ field: InvalidFieldError) {
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
  /// The value of google.rpc.Code.
  public var code: Int32 {
    switch self {
    case .invalid: 3  // INVALID_ARGUMENT
    case .notFound: 5  // NOT_FOUND
    case .exists: 6  // ALREADY_EXISTS
    case .forbidden: 7  // PERMISSION_DENIED
    case .tooMany: 8  // RESOURCE_EXHAUSTED
    case .tooLate, .unavailable: 9  // FAILED_PRECONDITION
    case .aborted: 10  // ABORTED
    case .unsupported: 12  // UNIMPLEMENTED
    }
  }
}
