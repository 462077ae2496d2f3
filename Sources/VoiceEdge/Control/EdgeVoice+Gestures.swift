internal import AnechoicAPI
internal import SessionConversions
internal import SwiftProtobuf
internal import VoiceSessions

extension EdgeVoice {
  /// A press that a program of this machine reports while there is no server; nil where no local voice
  /// decides it.
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

  /// The answer to a press that the command has rejected.
  func rejection() -> Anechoic_V1_ReportMuteGestureResponse {
    Anechoic_V1_ReportMuteGestureResponse.with {
      $0.outcome = .rejected
      if let state = local?.state.mute { $0.state = Anechoic_V1_MuteState(state) }
    }
  }
}
