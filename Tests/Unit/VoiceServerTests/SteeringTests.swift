import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestAudio
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// A second connection that changes a session, and its refusals.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SteeringTests {
  @Test func theFasterClientWinsAndTheOtherIsRefused() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await RunningClient.run(server) { client, steering in
        let other = SessionsClient(server: server.address, clientName: "paul")
        for round in UInt64(0)..<20 {
          func wins(_ client: SessionsClient, _ session: String) async throws -> Bool {
            do {
              _ = try await client.setMute(
                session, muted: round.isMultiple(of: 2), ifGeneration: round)
              return true
            } catch let status as Status {
              #expect(status.code == .aborted)
              #expect(try status.detail(Google_Rpc_ErrorInfo.self)?.reason == "STALE_GENERATION")
              return false
            }
          }
          async let first = wins(steering, client.session)
          async let second = wins(other, client.session)
          let outcome = try await [first, second]
          #expect(outcome.filter { $0 }.count == 1)
        }
      }
      let generations = recording.events.map(\.muteChanged.state.generation).filter { $0 > 0 }
      #expect(generations == Array(1...20))
    }
  }

  @Test func aChangeForALaterSampleLandsOnItAndIsAnsweredThen() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let name = stream.started.session
      let steering = server.steering(as: "olga")
      func send(_ frames: Int) async throws {
        try await stream.send(
          .with { $0.microphone.samples = Data(AudioFormat.s16.babble(10 * frames)) })
      }
      try await send(10)
      try await steering.waitForFrames(10, of: name)
      async let muted = steering.setMute(name, muted: true, atSample: 3277)
      async let changed = server.ask(
        RPC.updateSession,
        Anechoic_V1_UpdateSessionRequest.with {
          $0.session.name = name
          $0.session.config.preferredMicMode = .wideSpectrum
          $0.updateMask.paths = ["config.preferred_mic_mode"]
          $0.atSample = 4011
        }, Anechoic_V1_UpdateSessionResponse.self)
      // Both wait on the server before the samples come.
      try await realTime(.milliseconds(300))
      #expect(try await !steering.get(name).mute.muted)
      try await send(30)
      let answer = try await muted
      #expect(answer.state.muted && answer.appliedAtSample == 3277)
      let response = try await changed
      #expect(response.appliedAtSample == 4011)
      #expect(response.session.config.preferredMicMode == .wideSpectrum)
      stream.finish()
      var samples: [Int64] = []
      while let response = try await stream.receive() {
        let event = response.event
        if event.muteChanged.hasState || event.configChanged.hasConfig {
          samples.append(event.microphoneSample)
        }
        if case .controlResult(let result) = response.response { Issue.record("\(result)") }
      }
      #expect(samples == [3277, 4011])
    }
  }

  @Test func changesThatWaitAreBoundedAndEndWithTheSession() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let name = stream.started.session
      let steering = server.steering(as: "olga")
      let clients = (0..<5).map { server.steering(as: "client \($0)") }
      let reasons = try await withThrowingTaskGroup(of: String?.self) { group in
        for index in 0..<17 {
          let client = clients[index / 4]
          group.addTask {
            try await refusal {
              _ = try await client.setMute(name, muted: true, atSample: 50_000_000)
            }?
            .reason
          }
        }
        var reasons: [String?] = [try await group.next() ?? nil]
        try await steering.delete(name)
        while let reason = try await group.next() { reasons.append(reason) }
        return reasons
      }
      #expect(reasons.first == "TOO_MANY_CONTROLS")
      #expect(reasons.dropFirst().allSatisfy { $0 == "SESSION_ENDED" }, "\(reasons)")
    }
  }

  @Test func invalidRequestsAreRefusedAndTheSessionContinues() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server) { client, steering in
        let name = client.session
        func refusal(_ body: () async throws -> Void) async -> Status? {
          do {
            try await body()
            return nil
          } catch {
            return error as? Status
          }
        }
        let faults: [(Status?, StatusCode, String)] = [
          (await refusal { _ = try await steering.get("sessions/nobody") }, .notFound, "name"),
          (await refusal { _ = try await steering.get("nobody") }, .invalidArgument, "name"),
          (
            await refusal { _ = try await steering.update(.with { $0.name = name }, mask: []) },
            .invalidArgument, "update_mask"
          ),
          (
            await refusal { _ = try await steering.update(.with { $0.name = name }, mask: ["*"]) },
            .invalidArgument, "update_mask"
          ),
          (
            await refusal {
              _ = try await steering.update(.with { $0.name = name }, mask: ["config.nonsense"])
            }, .invalidArgument, "update_mask"
          ),
          (
            await refusal {
              _ = try await steering.update(.with { $0.name = name }, mask: ["owner"])
            }, .invalidArgument, "update_mask"
          ),
          (
            await refusal {
              _ = try await steering.update(
                .with {
                  $0.name = name
                  $0.config.spatialAudio.listenerProfile = "mine"
                }, mask: ["config.spatial_audio"])
            }, .notFound, "session.config.spatial_audio.listener_profile"
          ),
          (
            await refusal { _ = try await steering.setMute(name, muted: true, atSample: 1 << 40) },
            .invalidArgument, "at_sample"
          ),
          (
            await refusal {
              var request = Anechoic_V1_UpdateSessionRequest()
              request.session.name = name
              request.updateMask.paths = ["labels"]
              request.atSample = 1
              _ = try await server.ask(
                RPC.updateSession, request, Anechoic_V1_UpdateSessionResponse.self)
            }, .invalidArgument, "at_sample"
          ),
          (
            await refusal { _ = try await steering.reportMuteGesture(name, id: "") },
            .invalidArgument, "gesture_id"
          ),
          (
            await refusal {
              _ = try await steering.requestInjectionPermission(name, usageDescription: "")
            }, .invalidArgument, "usage_description"
          ),
        ]
        for (status, code, field) in faults {
          #expect(status?.code == code, "\(field): \(String(describing: status))")
          #expect(status?.message.hasPrefix("\(field): ") == true, "\(String(describing: status))")
        }
      }
      #expect(recording.endReason == .clientClosed)
    }
  }

  @Test func aReporterIsAnsweredAlsoWhenTheMediaClientFallsSilent() async throws {
    let clock = TestClock()
    try await TestServer.run {
      $0.clock = clock
    } _: { server in
      let stream = try await server.client.process(
        .mediaClock().with { $0.config.mute.gesturePolicy = .ask })
      let session = stream.started.session
      let steering = SessionsClient(server: server.address, clientName: "olga")
      // No audio has been processed yet, so no input runs.
      #expect(try await steering.reportMuteGesture(session, id: "0").outcome == .ignored)
      try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(100)) })
      while try await !(stream.receive()?.audio.frames.isEmpty ?? true) { break }
      let answer = try await clock.advancing(by: .seconds(1)) {
        try await steering.reportMuteGesture(session, id: "1")
      }
      #expect(answer.outcome == .timedOut && answer.state.muted)
      stream.cancel()
    }
  }
}
