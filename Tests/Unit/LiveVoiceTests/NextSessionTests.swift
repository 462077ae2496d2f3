import AnechoicAPI
import GRPCTransport
import ScriptedSessions
import SwiftProtobuf
import Synchronization
import Testing
import TestTime

@testable import LiveVoice

/// The session of a live voice that takes the place of another one.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct NextSessionTests {
  private func run(
    until count: Int = 2, _ end: (RunningVoice) async throws -> Void,
    _ check: (RunningVoice, [Anechoic_V1_Start], _ pause: Duration) async throws -> Void
  ) async throws {
    try await RunningVoice.run { running in
      try await running.becomes(.processed)
      let ended = ContinuousClock.now
      try await end(running)
      try await eventually("start \(count)") {
        running.sessions.script { $0.started.count } >= count
      }
      let starts = running.sessions.script { $0.started }
      try await check(running, starts.map(\.start), starts[count - 1].time - ended)
    }
  }

  private func changeMode(_ running: RunningVoice) async throws {
    running.sessions.send(.with { $0.configChanged.config.preferredMicMode = .wideSpectrum })
    try await eventually("the change") {
      Self.happens(running) { if case .configChanged = $0 { true } else { false } }
    }
  }

  @Test func aSessionThatEndsWithAWrongTokenIsFollowedAfterSomeSeconds() async throws {
    try await run { running in
      running.sessions.end(.explained(.unauthenticated, "CREDENTIALS_INVALID"))
    } _: { _, starts, pause in
      #expect(pause >= .milliseconds(3500) && starts[1].sessionID == starts[0].sessionID)
    }
  }

  @Test func anEchoPathIsToldAndTakenAlong() async throws {
    let told = Mutex<[Anechoic_V1_EchoPath]>([])
    let (first, learnt) = (Anechoic_V1_EchoPath.with { $0.channelCount = 1 }, Self.path)
    try await RunningVoice.run { options, _ in
      options.echoPathHint = first
      options.onEchoPath = { path in told.withLock { $0.append(path) } }
    } _: { running in
      try await running.becomes(.processed)
      running.sessions.tell(learnt)
      try await eventually("the echo path") { told.withLock { $0 } == [learnt] }
      running.sessions.end(.explained(.aborted, "SESSION_TERMINATED"))
      try await eventually("the next session") { running.sessions.script { $0.started.count } >= 2 }
      let starts = running.sessions.script { $0.started.map(\.start) }
      #expect(starts.prefix(2).map(\.echoPathHint) == [first, learnt])
      #expect(starts.allSatisfy { $0.echoPathWanted })
    }
  }

  @Test func anEchoPathThatTheServerRefusesIsGivenUp() async throws {
    let refusal = Status(.invalidArgument, "start.echo_path_hint.channel_count: must be 1 or 2")
    try await RunningVoice.run { options, script in
      options.echoPathHint = .with { $0.channelCount = 3 }
      script.starts = [.refuse(refusal)]
    } _: { running in
      try await running.becomes(.processed)
      #expect(running.sessions.script { $0.started.map(\.start.hasEchoPathHint) } == [true, false])
    }
  }

  private static let path = Anechoic_V1_EchoPath.with { $0.channelCount = 2 }

  @Test func theTimeThatAnEndedSessionNamesIsWaited() async throws {
    try await run { running in
      running.sessions.end(.explained(.resourceExhausted, "OVERLOADED", retryAfter: 1.5))
    } _: { _, _, pause in
      #expect((.milliseconds(1500) ... .milliseconds(3400)).contains(pause))
    }
  }

  @Test func aConfigurationThatIsRefusedIsNotSentAgain() async throws {
    try await run(until: 4) { running in
      try await changeMode(running)
      running.sessions.script { script in
        script.starts = [.accept, .refuse(.explained(.invalidArgument, "CONFIG_INVALID"))]
      }
      // The connection is lost.
      running.sessions.end(Status(.unavailable))
    } _: { running, starts, pause in
      #expect(!starts[1].resumeToken.isEmpty && pause >= .milliseconds(3500))
      #expect(starts[2].config.preferredMicMode == .wideSpectrum)
      #expect(starts[3].config.preferredMicMode == .standard)
      #expect(Set(starts.map(\.sessionID)).count == 1)
      var reasons: [String] = []
      while let event = running.voice.nextEvent() {
        if case .fallback(let reason) = event { reasons.append(reason) }
      }
      #expect(reasons.count == 2 && reasons.last?.contains("CONFIG_INVALID") == true)
    }
  }

  @Test func anIdThatIsInUseIsReplacedAndNothingElse() async throws {
    try await run(until: 3) { running in
      try await changeMode(running)
      running.sessions.script {
        $0.starts = [.refuse(.explained(.alreadyExists, "SESSION_EXISTS"))]
      }
      running.sessions.end(.explained(.aborted, "SESSION_TERMINATED"))
    } _: { _, starts, _ in
      #expect(
        starts[1].sessionID == starts[0].sessionID && starts[2].sessionID != starts[0].sessionID)
      #expect(starts.map(\.config.preferredMicMode) == [.standard, .wideSpectrum, .wideSpectrum])
    }
  }

  @Test func aSessionThatTheServerEndsInOrderIsContinuedByAnother() async throws {
    try await run { running in
      try await changeMode(running)
      running.sessions.end(Status(.ok))
    } _: { _, starts, _ in
      #expect(starts[1].sessionID == starts[0].sessionID)
      #expect(starts[1].config.preferredMicMode == .wideSpectrum)
    }
  }

  /// The next session is one of the same stream, or of another one.
  @Test(arguments: [Status(.unavailable), .explained(.aborted, "SESSION_TERMINATED")])
  func aDecisionAboutInjectionIsMadeAgain(end: Status) async throws {
    func ask(_ running: RunningVoice) {
      running.sessions.send(.with { $0.injectionPermissionRequested.client = "olga" })
    }
    func decisions(_ running: RunningVoice) -> [Bool] {
      running.sessions.script { script in
        script.controlled.map(\.decideInjectionPermission).filter { $0.client == "olga" }
          .map(\.grant)
      }
    }
    try await RunningVoice.run { running in
      try await running.becomes(.processed)
      ask(running)
      try await eventually("asked") { Self.isAsked(running) }
      running.voice.decideInjection(by: "olga", grant: true)
      try await eventually("decided") { decisions(running) == [true] }
      running.sessions.end(end)
      try await eventually("the next session") { running.sessions.script { $0.started.count } >= 2 }
      try await running.becomes(.processed)
      ask(running)
      try await eventually("decided again") { decisions(running) == [true, true] }
      #expect(!Self.isAsked(running))
    }
  }

  /// Whether an event asks for a decision.
  private static func isAsked(_ running: RunningVoice) -> Bool {
    happens(running) { if case .injectionPermissionRequested = $0 { true } else { false } }
  }

  /// Whether one of the events that wait is one that is looked for.
  private static func happens(
    _ running: RunningVoice, _ isIt: (Anechoic_V1_SessionEvent.OneOf_Event?) -> Bool
  ) -> Bool {
    while let event = running.voice.nextEvent() {
      if case .session(let event) = event, isIt(event.event) { return true }
    }
    return false
  }
}
