package import AnechoicAPI
package import SpatialAudio
package import VoiceSessions

/// Everything that is done to a session, apart from the requests of its media client.
///
/// A server translates calls into acts, a recording contains them, and a replay applies them again.
/// CONTRIBUTING.md explains how to add one.
package enum SessionAct {
  /// The session continues with the audio that is left from earlier requests.
  case turn
  /// A control from another connection. The recording contains the message.
  case control(SessionControl, as: Anechoic_V1_Control)
  case gesture(MuteGesture)
  /// A gesture timed out by the server's clock. Nil means any gesture that is due.
  case gestureExpired(id: String?)
  /// A client asks for permission to inject. `stored` is its decision of an earlier session.
  case permissionRequest(by: ControlOrigin, usageDescription: String, stored: Bool?)
  case injection(id: String, InjectionStep)
  /// No audio of the microphone came for some time. `alone` is whether other inputs went on.
  case microphoneStopped(alone: Bool)
  case microphoneLate(Bool)
  case microphoneEarly(Bool)
  /// The server is about to stop.
  case draining(endsIn: Duration)
  /// The connection of the media client was lost, and the session waits for a time.
  case suspended(waitsFor: Duration)
  /// The media client continues with a sample of the microphone. `allowsEnrollment` is whether it may let
  /// the session learn and keep voices from now on, nil for as before.
  case resumed(microphoneSample: Int64?, allowsEnrollment: Bool?)
  /// Samples of the processed output were dropped, because the client did not read them in time.
  case outputDropped(samples: Int64)
  /// Another device joined or left the session.
  case playbackClientChanged(String, hasJoined: Bool)
  case injectionAllowed(Bool)
  /// The engine is switched to its reduced mode, or back.
  case reduced(Bool)
  case headResponses(HeadRelatedSet, ofProfile: String)
  case end(SessionEvent.EndReason, RemainingAudio)

  /// A step of an injection.
  package enum InjectionStep {
    case begun(by: String, InjectionAudience)
    case piece(InjectedSpeech)
    case completed
    case cancelled
  }

  /// The part of the remaining audio that is processed before the end.
  package enum RemainingAudio: Equatable {
    case all
    /// This number of frames, because the client was lost while the session ended.
    case frames(Int)
  }

  /// The answer to an act. All other results are reported as events.
  package struct Answer {
    package var refusal: Refusal?
    /// The result of a gesture that is decided at once.
    package var gesture: GestureResult?
    /// The number of microphone samples that are concealed where the session resumes.
    package var concealedSamples: Int64 = 0
  }
}

extension VoiceSession {
  /// Applies an act. A turn processes at most `framesPerTurn` frames.
  @discardableResult
  func apply(
    _ act: SessionAct, framesPerTurn: Int, sink: any SessionSink
  ) -> SessionAct.Answer {
    var answer = SessionAct.Answer()
    do throws(Refusal) {
      switch act {
      case .turn: process(atMost: framesPerTurn, sink: sink)
      case .control(let control, _): submit(control, sink: sink)
      case .gesture(let gesture): answer.gesture = try report(gesture, sink: sink)
      case .gestureExpired(let id): expireGestures(id, sink: sink)
      case .permissionRequest(let client, let usage, let stored):
        _ = try requestInjectionPermission(
          for: client.actor, usageDescription: usage, stored: stored, sink: sink)
      case .injection(let id, let step): try apply(step, toInjection: id, sink: sink)
      case .microphoneStopped(let alone):
        if alone { microphoneStoppedAlone(sink: sink) } else { microphoneStopped(sink: sink) }
      case .microphoneLate(let isLate): microphoneIs(.late, isLate, sink: sink)
      case .microphoneEarly(let isEarly): microphoneIs(.early, isEarly, sink: sink)
      case .draining(let time): announceEnd(in: time, sink: sink)
      case .suspended(let time): suspend(waitingFor: time, sink: sink)
      case .resumed(let sample, let allowsEnrollment):
        answer.concealedSamples = resume(
          at: sample, allowsEnrollment: allowsEnrollment, sink: sink)
      case .outputDropped(let samples): outputWasDropped(samples: samples, sink: sink)
      case .playbackClientChanged(let client, let hasJoined):
        playbackClientChanged(client, hasJoined: hasJoined, sink: sink)
      case .injectionAllowed(let isAllowed): allowInjection(isAllowed, sink: sink)
      case .reduced(let isReduced): reduceProcessing(isReduced, sink: sink)
      case .headResponses(let responses, _): useHeadResponses(responses)
      case .end(let reason, .all): finish(reason, sink: sink)
      case .end(let reason, .frames(let frames)):
        if frames == 0 || !finish(reason, atMost: frames, sink: sink) { end(reason, sink: sink) }
      }
    } catch {
      answer.refusal = error
    }
    return answer
  }

  private func apply(
    _ step: SessionAct.InjectionStep, toInjection id: String, sink: any SessionSink
  ) throws(Refusal) {
    switch step {
    case .begun(let client, let audience):
      try beginInjection(id, by: client, heard: audience)
    case .piece(let speech): _ = inject(speech, into: id)
    case .completed: completeInjection(id)
    case .cancelled: cancelInjection(id, sink: sink)
    }
  }
}
