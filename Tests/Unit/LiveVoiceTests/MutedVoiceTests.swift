import AnechoicAPI
import GRPCTransport
import ScriptedSessions
import Testing
import TestTime

@testable import LiveVoice

/// A live voice that is muted, whatever its server answers.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MutedVoiceTests {
  @Test func aMuteTakesEffectAtOnceAndAnUnmuteWithTheAnswer() async throws {
    try await RunningVoice.run { running in
      try await running.becomes(.processed)
      running.sessions.script { $0.laterControls = .ignore }
      try await running.setMuted(true)
      #expect(try await running.sounds(for: .milliseconds(300)).allSatisfy { $0 == .silent })
      #expect(running.sessions.script { $0.mutes } == [true] && running.voice.isMuted)
    }
    try await RunningVoice.run {
      $0.isMuted = true
      $1.controls = [.ignore]
    } _: { running in
      try await eventually("a session") { running.sessions.script { $0.started.count } == 1 }
      try await running.setMuted(false)
      #expect(try await running.sounds(for: .milliseconds(300)).allSatisfy { $0 == .silent })
      #expect(running.voice.isMuted)
    }
  }

  @Test(arguments: ["TOO_MANY_CONTROLS", "BROKEN"])
  func aRefusedMuteHoldsAndIsAskedForAgain(reason: String) async throws {
    try await RunningVoice.run { running in
      try await running.becomes(.processed)
      let refusal = Status.explained(.resourceExhausted, reason)
      running.sessions.script { $0.controls = [.refuse(refusal), .refuse(refusal)] }
      try await running.setMuted(true)
      #expect(try await running.sounds(for: .milliseconds(1500)).allSatisfy { $0 == .silent })
      #expect(running.sessions.script { $0.mutes } == [true, true, true])
      #expect(running.voice.isMuted)
      try await running.setMuted(false)
      try await running.becomes(.processed)
    }
  }

  @Test func anUnmuteOfAnotherClientDoesNotOverrideAMuteThatIsUnderWay() async throws {
    try await RunningVoice.run { running in
      try await running.becomes(.processed)
      running.sessions.script { $0.laterControls = .ignore }
      running.sessions.mute(true)
      try await eventually("muted") { running.voice.isMuted }
      try await running.setMuted(true)
      running.sessions.mute(false)
      #expect(try await running.sounds(for: .milliseconds(400)).allSatisfy { $0 == .silent })
    }
  }

  @Test func inTheNextSessionAnUnmuteWaitsForTheAnswerAgain() async throws {
    try await RunningVoice.run { running in
      try await running.becomes(.processed)
      running.sessions.script { $0.starts = [.refuse(.explained(.aborted, "SESSION_TERMINATED"))] }
      // The connection is lost, and the session is over when it comes back.
      running.sessions.end(Status(.unavailable))
      try await eventually("another session") { running.sessions.script { $0.started.count } >= 3 }
      try await running.becomes(.processed)
      try await running.setMuted(true)
      running.sessions.script { $0.laterControls = .ignore }
      try await running.setMuted(false)
      #expect(try await running.sounds(for: .milliseconds(300)).allSatisfy { $0 == .silent })
      #expect(running.voice.isMuted)
    }
  }

  @Test func aMuteThatIsNotAnsweredOutlivesTheSession() async throws {
    try await RunningVoice.run { running in
      try await running.becomes(.processed)
      running.sessions.script { $0.controls = [.ignore] }
      try await running.setMuted(true)
      running.sessions.end(.explained(.aborted, "SESSION_TERMINATED"))
      #expect(try await running.sounds(for: .milliseconds(600)).allSatisfy { $0 == .silent })
      let starts = running.sessions.script { $0.started.map(\.start.muted) }
      #expect(starts == [false, true])
    }
  }
}
