import AnechoicAPI
import AudioCore
import GRPCTransport
import SwiftProtobuf
import TestAudio
import TestTime
import Testing
import VoiceClient
import VoiceServer

/// The service-wide switch of injection, while sessions run.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InjectionSwitchTests {
  @Test func switchingOffEndsSpeechAndSwitchingOnKeepsPermissions() async throws {
    let injection = InjectionSwitch()
    try await TestServer.run {
      $0.allowsRecording = true
      $0.injection = injection
    } _: { server in
      let start = InjectedSession.start.with { $0.sessionID = RecordedCall.id }
      let call = try await RecordedCall.run(server) {
        try await InjectedSession.run(server, start) { session in
          try await session.permit("olga")
          let olga = server.steering(as: "olga")
          let watch = try await olga.begunWatch(session.name)
          async let injected = refusal {
            try await session.inject(AudioFormat.s16.babble(60_000), .s16, id: "bell", as: "olga")
          }
          _ = try await watch.event { $0.injectionProgress.state == .started }
          injection.set(false)
          #expect(try await injected?.reason == "INJECTION_CANCELLED")
          _ = try await watch.event {
            $0.event == .injectionAvailabilityChanged(.with { $0.available = false })
          }
          let off = try await olga.get(session.name)
          #expect(!off.injectionAvailable && off.injectionPermission == .serviceDisabled)
          let refused = try await refusal {
            try await session.inject(AudioFormat.s16.babble(100), .s16, as: "olga")
          }
          #expect(refused?.reason == "INJECTION_NOT_PERMITTED")
          injection.set(true)
          _ = try await watch.event {
            $0.event == .injectionAvailabilityChanged(.with { $0.available = true })
          }
          let on = try await olga.get(session.name)
          #expect(on.injectionAvailable && on.injectionPermission == .granted)
          try await session.inject(AudioFormat.s16.babble(100), .s16, id: "again", as: "olga")
        }
      }
      #expect(call.heard.progress(of: "bell") == [.started, .cancelled])
      #expect(call.heard.progress(of: "again") == [.started, .finished])
      try call.expectSame()
    }
  }

  @Test func callsThatWaitForPermissionAreAnswered() async throws {
    let injection = InjectionSwitch()
    try await TestServer.run {
      $0.injection = injection
    } _: { server in
      _ = try await InjectedSession.run(server) { session in
        let olga = server.steering(as: "olga")
        let watch = try await olga.begunWatch(session.name)
        async let answer = olga.requestInjectionPermission(
          session.name, usageDescription: "Doorbell")
        _ = try await watch.event { $0.injectionPermissionRequested.client == "olga" }
        injection.set(false)
        #expect(try await answer == .serviceDisabled)
      }
    }
  }

  /// No event tells it, because nothing is available before and after.
  @Test func theStatusFollowsTheSwitchBeforeTheMicrophoneRuns() async throws {
    let injection = InjectionSwitch()
    try await TestServer.run {
      $0.injection = injection
    } _: { server in
      let stream = try await server.client.process(.mediaClock())
      let (olga, name) = (server.steering(as: "olga"), stream.started.session)
      for (isOn, permission) in [
        (false, Anechoic_V1_InjectionPermission.serviceDisabled), (true, .undetermined),
      ] {
        injection.set(isOn)
        try await eventually("\(permission)") {
          try await olga.injectionStatus(name).permission == permission
        }
      }
      stream.cancel()
    }
  }

  @Test func aSessionThatStartsLaterFollowsTheSwitch() async throws {
    let injection = InjectionSwitch(isOn: false)
    try await TestServer.run {
      $0.injection = injection
    } _: { server in
      injection.set(true)
      injection.set(false)
      injection.set(true)
      _ = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
      }
    }
  }
}
