import AnechoicAPI
import AudioCore
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// The permission to inject speech into a session.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InjectionPermissionTests {
  private static let bell = AudioFormat.s16.babble(100)

  @Test func theAskingClientGetsTheDecision() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        let olga = server.steering(as: "olga")
        #expect(try await olga.get(session.name).injectionPermission == .undetermined)
        try await session.permit("olga", grant: false)
        #expect(try await olga.get(session.name).injectionPermission == .denied)
        // The media client is not asked again about the same client.
        let again = try await olga.requestInjectionPermission(
          session.name, usageDescription: "Please")
        #expect(again == .denied)
        try await session.permit("paul")
        #expect(
          try await server.steering(as: "paul").get(session.name).injectionPermission == .granted)
        #expect(try await olga.get(session.name).injectionPermission == .denied)
        for client in ["olga", "nobody"] {
          let status = try await refusal {
            try await session.inject(Self.bell, .s16, as: client)
          }
          #expect(status?.code == .failedPrecondition, "\(String(describing: status))")
          #expect(status?.reason == "INJECTION_NOT_PERMITTED")
        }
        try await session.inject(Self.bell, .s16, as: "paul")
      }
      let requests = recording.events.map(\.injectionPermissionRequested).filter {
        !$0.client.isEmpty
      }
      #expect(requests.map(\.client) == ["olga", "paul"])
      #expect(requests.allSatisfy { $0.usageDescription == "Doorbell" })
      let changes = recording.events.map(\.injectionPermissionChanged).filter { !$0.client.isEmpty }
      #expect(changes.map(\.permission) == [.denied, .granted])
    }
  }

  @Test func aServerWithoutInjectionAsksNobody() async throws {
    try await TestServer.run {
      $0.injection.set(false)
    } _: { server in
      let recording = try await InjectedSession.run(server) { session in
        let olga = server.steering(as: "olga")
        let permission = try await olga.requestInjectionPermission(
          session.name, usageDescription: "Doorbell")
        #expect(permission == .serviceDisabled)
        let seen = try await olga.get(session.name)
        #expect(seen.injectionPermission == .serviceDisabled && !seen.injectionAvailable)
        let status = try await refusal { try await session.inject(Self.bell, .s16, as: "olga") }
        #expect(status?.code == .failedPrecondition, "\(String(describing: status))")
      }
      #expect(recording.events.count == 1 && recording.endReason == .clientClosed)
    }
  }

  @Test func aRequestNeedsAUsageDescription() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        for usage in ["", String(repeating: "x", count: 1001)] {
          let status = try await refusal {
            _ = try await server.steering(as: "olga").requestInjectionPermission(
              session.name, usageDescription: usage)
          }
          try #require(status).expect(.invalidArgument, field: "usage_description")
        }
      }
      #expect(!recording.events.contains { !$0.injectionPermissionRequested.client.isEmpty })
    }
  }

  @Test func aClientThatCancelledMayAskAgainAndIsNotAskedAboutTwice() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        let (name, olga) = (session.name, server.steering(as: "olga"))
        let watch = try await olga.begunWatch(name)
        let first = Task {
          try await olga.requestInjectionPermission(name, usageDescription: "Doorbell")
        }
        _ = try await watch.event { $0.injectionPermissionRequested.client == "olga" }
        first.cancel()
        await #expect(throws: Status.self) { try await first.value }
        async let second = olga.requestInjectionPermission(name, usageDescription: "Doorbell")
        async let third = server.steering(as: "olga").requestInjectionPermission(
          name, usageDescription: "Doorbell")
        session.decide("olga", grant: true)
        #expect(try await [second, third] == [.granted, .granted])
      }
      let requests = recording.events.filter { !$0.injectionPermissionRequested.client.isEmpty }
      #expect(requests.count == 1)
    }
  }

  @Test func withdrawingThePermissionEndsTheSpeech() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let watch = try await server.steering(as: "olga").begunWatch(session.name)
        async let injected = refusal {
          try await session.inject(AudioFormat.s16.babble(60_000), .s16, id: "bell", as: "olga")
        }
        _ = try await watch.event { $0.injectionProgress.state == .started }
        session.decide("olga", grant: false)
        let status = try await injected
        #expect(status?.code == .aborted && status?.reason == "INJECTION_CANCELLED")
        let again = try await refusal { try await session.inject(Self.bell, .s16, as: "olga") }
        #expect(again?.code == .failedPrecondition)
      }
      #expect(recording.progress(of: "bell") == [.started, .cancelled])
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
    }
  }

  @Test func aSessionThatTakesNoneSaysWhy() async throws {
    try await TestServer.run { server in
      let start = InjectedSession.start.with { $0.config.preferredInjectionMode = .none }
      _ = try await InjectedSession.run(server, start) { session in
        try await session.permit("olga")
        let status = try await refusal { try await session.inject(Self.bell, .s16, as: "olga") }
        #expect(status?.code == .failedPrecondition && status?.reason == "INJECTION_OFF")
      }
      // No audio has been processed yet, so no microphone runs.
      let stream = try await server.client.process(InjectedSession.start)
      let olga = server.steering(as: "olga")
      let watch = try await olga.begunWatch(stream.started.session)
      async let permission = olga.requestInjectionPermission(
        stream.started.session, usageDescription: "Doorbell")
      _ = try await watch.event { $0.injectionPermissionRequested.client == "olga" }
      try await stream.send(
        .with {
          $0.decideInjectionPermission.client = "olga"
          $0.decideInjectionPermission.grant = true
        })
      #expect(try await permission == .granted)
      let status = try await refusal {
        let injection = try await olga.injectSpeech(.with { $0.name = stream.started.session })
        _ = try await injection.finish()
      }
      #expect(status?.code == .failedPrecondition && status?.reason == "INJECTION_UNAVAILABLE")
      stream.cancel()
    }
  }

  @Test func availabilityComesAndGoesWithTheMicrophoneAndTheMode() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        let olga = server.steering(as: "olga")
        #expect(try await olga.get(session.name).injectionAvailable)
        for mode in [.none, .spokenAudio] as [Anechoic_V1_InjectionMode] {
          let answer = try await olga.update(
            .with {
              $0.name = session.name
              $0.config.preferredInjectionMode = mode
            }, mask: ["config.preferred_injection_mode"])
          #expect(answer.session.injectionAvailable == (mode == .spokenAudio))
        }
      }
      let changes = recording.events.compactMap { event -> Bool? in
        guard case .injectionAvailabilityChanged(let change) = event.event else { return nil }
        return change.available
      }
      #expect(changes == [true, false, true, false])
    }
  }
}
