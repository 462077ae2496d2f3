internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf
internal import VoiceClient

/// A session whose connection was lost, and which may be continued.
struct LostSession {
  var started: Anechoic_V1_Started
  /// The last event that came.
  var lastEventID: UInt64
  /// The position of the microphone with which the agent asked to continue.
  var position: Int64 = 0
  let lostAt = ContinuousClock.now

  /// Whether the server has ended the session, because nobody continued it in time.
  var isOver: Bool { .now - lostAt > Duration(started.resumeWindow) }
}

/// A session that continues after the connection was lost. The agent's timelines go on meanwhile.
extension EdgeVoice {
  /// Gives up the session, because the server has ended it or does not know it any more.
  func forgetSession() { server.lost = nil }

  /// Turns the start of a session into the continuation of the lost one, if there is one.
  func continueLostSession(_ start: inout Anechoic_V1_Start) {
    guard let lost = server.lost, !lost.started.resumeToken.isEmpty, !lost.isOver else {
      return forgetSession()
    }
    server.lost?.position = timing.position
    start.sessionID = lost.started.sessionID
    start.resumeToken = lost.started.resumeToken
    start.clearEchoPathHint()
    start.resumePoint.lastEventID = lost.lastEventID
    start.resumePoint.microphoneSample = timing.position
  }

  /// Moves the positions to where the session goes on. It conceals 10 s at most, and does not count
  /// the rest of a longer gap.
  func moveTimelines(to resumed: Anechoic_V1_Started.Resumed, _ lost: LostSession) {
    let surplus = max(0, lost.position - resumed.microphoneSample)
    timing.position -= surplus
    timing.referencePosition = max(0, timing.referencePosition - surplus)
    // The reference's gap does not contain the audio that was played meanwhile.
    timing.gapBefore = .connectionLost
  }

  /// The interruptions that an agent reports, apart from the switch of the device.
  private static let interruptions: [Anechoic_V1_Interruption.Reason] = [
    .deviceBusy, .suspended, .otherSession,
  ]

  /// Brings the agent and a session that goes on to the same state. A change of the mute on this
  /// machine counts more than one of another client. `wanted` is the state that the session is asked
  /// for, or nil if it has that state.
  func reconcile(_ started: Anechoic_V1_Started, _ wanted: Bool?) {
    if wanted == nil { mute(is: started.mute, at: timing.position) }
    muting.generation = max(muting.generation, started.mute.generation)
    if !mute.hardware { sendInterruption(began: false, .hardwareMuted) }
    for reason in EdgeVoice.interruptions where !devices.interruptions.contains(reason) {
      sendInterruption(began: false, reason)
    }
  }
}
