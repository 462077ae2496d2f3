import AnechoicAPI
import ScriptedSessions
import SwiftProtobuf
import Testing
import TestTime

@testable import LiveVoice

/// A live voice passes the events of its session on as messages, so that it needs no code for a new one.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EveryEventTests {
  @Test func everyEventOfTheProtocolReachesTheProgram() async throws {
    var events = try EveryEvent.read()
    for index in events.indices {
      // The scripted session sends this event only on a change.
      if case .muteChanged = events[index].event { events[index].muteChanged.state.muted = true }
    }
    try await RunningVoice.run { [events] running in
      try await running.becomes(.processed)
      events.forEach(running.sessions.send)
      var received: [Anechoic_V1_SessionEvent] = []
      try await eventually("\(events.count) events") {
        while let event = running.voice.nextEvent() {
          if case .session(let event) = event { received.append(event) }
        }
        return received.count >= events.count
      }
      #expect(try received.map(Self.kind) == events.map(Self.kind))
    }
  }

  /// Returns the name of an event's kind in JSON.
  private static func kind(_ event: Anechoic_V1_SessionEvent) throws -> String {
    var event = event
    (event.eventID, event.microphoneSample) = (0, 0)
    return String(try event.jsonString().prefix { $0 != ":" })
  }
}
