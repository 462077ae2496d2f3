import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

/// A session that another client ends.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct DeletedSessionTests {
  @Test func everyClientLearnsOfTheEnd() async throws {
    try await TestServer.run { server in
      var watches: [WatchStream] = []
      let recording = try await RunningClient.run(server) { client, steering in
        for _ in 0..<5 {
          watches.append(try await steering.begunWatch(client.session))
        }
        try await steering.delete(client.session)
      }
      #expect(recording.endReason == .deleted && recording.hasContiguousEvents)
      #expect(recording.status?.code == .cancelled)
      #expect(recording.status?.reason == "SESSION_DELETED")
      for watch in watches {
        // `rest` throws any status other than OK.
        #expect(try await watch.rest().last?.event.sessionEnded.reason == .deleted)
      }
    }
  }

  @Test func nothingOfTheSessionIsLeftAfterTheAnswer() async throws {
    try await TestServer.run(threads: 2) { server in
      for _ in 0..<20 {
        let stream = try await server.client.process(.mediaClock())
        let steering = server.steering(as: "olga")
        // Makes the server keep fresh statistics of the session.
        _ = try await steering.get(stream.started.session)
        try await steering.delete(stream.started.session)
        for method in SessionMethod.all {
          let status = try await refusal {
            _ = try await server.ask(method.name, method.request(stream.started.session))
          }
          #expect(status?.code == .notFound, "\(method.name): \(String(describing: status))")
        }
        stream.cancel()
      }
    }
  }

  @Test func theSessionIsGoneAlsoIfMuchAudioIsUnprocessed() async throws {
    try await TestServer.run(threads: 2) { server in
      let stream = try await server.client.process(.mediaClock())
      let name = stream.started.session
      let steering = server.steering(as: "olga")
      // A gap of nine seconds takes a while to fill.
      try await stream.send(
        .with {
          $0.microphone.samples = Data(AudioFormat.s16.babble(10))
          $0.microphone.firstSample = 16_000 * 9
        })
      try await steering.waitForFrames(of: name)
      try await steering.delete(name)
      let status = try await refusal { _ = try await steering.get(name) }
      #expect(status?.reason == "NO_SESSION", "\(String(describing: status))")
      #expect(try await steering.list().isEmpty)
      stream.cancel()
    }
  }

  @Test func theSessionIsGoneAlsoIfItsClientDoesNotReadTheEnd() async throws {
    try await TestServer.run { server in
      let client = try StubbornClient(server, window: 0)
      try client.send(
        [.start(.mediaClock().with { $0.sessionID = "call-1" })], halfClosing: false)
      let steering = server.steering(as: "olga")
      let limit = ContinuousClock.now + .seconds(20)
      while try await steering.list().isEmpty { try #require(ContinuousClock.now < limit) }
      _ = try await steering.get("sessions/call-1")
      try await steering.delete("sessions/call-1")
      #expect(try await steering.list().isEmpty)
      for method in SessionMethod.all {
        let status = try await refusal {
          _ = try await server.ask(method.name, method.request("sessions/call-1"))
        }
        #expect(status?.code == .notFound, "\(method.name): \(String(describing: status))")
      }
      // The id is not free yet, although no session of this name runs.
      let status = try await server.status(
        after: [.start(.mediaClock().with { $0.sessionID = "call-1" })])
      #expect(status.reason == "SESSION_EXISTS")
      #expect(status.message.contains("its client has not read the end"), "\(status)")
      let recording = try await client.read().recording
      #expect(recording.endReason == .deleted)
    }
  }

  @Test func waitingCallsLearnOfTheEnd() async throws {
    try await TestServer.run { server in
      let start = Anechoic_V1_Start.mediaClock().with {
        $0.config.mute.gesturePolicy = .ask
        $0.config.mute.gestureDecisionTimeout.seconds = 60
      }
      _ = try await RunningClient.run(server, start) { client, steering in
        let session = client.session
        try await steering.waitForFrames(of: session)
        let watch = try await steering.begunWatch(session)
        async let gesture = refusal {
          _ = try await server.steering(as: "lamp").reportMuteGesture(session, id: "1")
        }
        async let permission = refusal {
          _ = try await server.steering(as: "bell").requestInjectionPermission(
            session, usageDescription: "Doorbell")
        }
        var asked = 0
        while asked < 2 {
          _ = try await watch.event {
            $0.muteGestureRequested.gestureID == "1"
              || $0.injectionPermissionRequested.client == "bell"
          }
          asked += 1
        }
        try await steering.delete(session)
        for status in [try await gesture, try await permission] {
          #expect(status?.code == .notFound && status?.reason == "NO_SESSION")
        }
      }
    }
  }

  @Test func ofSeveralWhoDeleteItOneDoes() async throws {
    try await TestServer.run(threads: 2) { server in
      let stream = try await server.client.process(.mediaClock())
      let name = stream.started.session
      let statuses = try await withThrowingTaskGroup { group in
        for index in 0..<8 {
          group.addTask {
            try await refusal { try await server.steering(as: "\(index)").delete(name) }
          }
        }
        return try await group.reduce(into: [Status?]()) { $0.append($1) }
      }
      #expect(statuses.filter { $0 == nil }.count == 1)
      #expect(statuses.allSatisfy { $0 == nil || $0?.reason == "NO_SESSION" })
      stream.cancel()
    }
  }
}
