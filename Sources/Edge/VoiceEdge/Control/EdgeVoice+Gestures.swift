internal import AnechoicAPI
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

extension EdgeVoice {
  /// Decides a press that a program on this machine reports while there is no server. Returns nil
  /// if no local voice can decide it.
  func report(
    _ request: Anechoic_V1_ReportMuteGestureRequest
  ) -> Anechoic_V1_ReportMuteGestureResponse? {
    let mutes = request.hasMuted ? request.muted : nil
    guard let result = pressedLocally(id: request.gestureID, mutes: mutes) else { return nil }
    return Anechoic_V1_ReportMuteGestureResponse.with {
      $0.outcome = Anechoic_V1_MuteGestureOutcome(result.outcome)
      $0.state = Anechoic_V1_MuteState(result.state)
      $0.chimeInPlayback = result.soundsChime
    }
  }

  /// Returns the answer to a press that the command has rejected.
  func rejection() -> Anechoic_V1_ReportMuteGestureResponse {
    Anechoic_V1_ReportMuteGestureResponse.with {
      $0.outcome = .rejected
      if let state = local?.state.mute { $0.state = Anechoic_V1_MuteState(state) }
    }
  }
}
