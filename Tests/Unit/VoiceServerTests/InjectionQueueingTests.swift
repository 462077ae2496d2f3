import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import VoiceClient

/// Injections that wait, that are cancelled, or that are invalid.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InjectionQueueingTests {
  @Test func twoWhoSpeakAtOnceAreHeardOneAfterTheOther() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await InjectedSession.run(server) { session in
        for client in ["olga", "paul"] { try await session.permit(client) }
        async let first = session.inject(AudioFormat.s16.babble(1500), .s16, id: "1", as: "olga")
        async let second = session.inject(AudioFormat.s16.babble(800), .s16, id: "2", as: "paul")
        let durations = try await [first, second].map(\.injected)
        #expect(durations.map(\.seconds) == [1, 0])
        #expect(durations.map(\.nanos) == [500_000_000, 800_000_000])
      }
      let progress = recording.events.map(\.injectionProgress).filter { !$0.injectionID.isEmpty }
      #expect(progress.map(\.state) == [.started, .finished, .started, .finished])
      #expect(Set(progress.prefix(2).map(\.injectionID)).count == 1)
      #expect(Set(progress.suffix(2).map(\.injectionID)).count == 1)
    }
  }

  @Test func aCancelledCallEndsItsSpeech() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let name = session.name
        let watch = try await server.steering(as: "olga").begunWatch(name)
        for isComplete in [false, true] {
          let id = isComplete ? "complete" : "half"
          let injection = try await server.steering(as: "olga").injectSpeech(
            .with {
              $0.name = name
              $0.injectionID = id
              $0.format = Anechoic_V1_AudioFormat(.s16)
            })
          try await injection.send(.with { $0.samples = Data(AudioFormat.s16.babble(1000)) })
          let finishing = isComplete ? Task { try await injection.finish() } : nil
          _ = try await watch.event { $0.injectionProgress.state == .started }
          injection.cancel()
          let cancelled = try await watch.event { $0.injectionProgress.state != .started }
          #expect(cancelled.injectionProgress.injectionID == id)
          #expect(cancelled.injectionProgress.state == .cancelled)
          if let finishing { await #expect(throws: Status.self) { try await finishing.value } }
        }
        // The place and the id are free again.
        try await session.inject(AudioFormat.s16.babble(100), .s16, id: "half", as: "olga")
      }
      #expect(recording.progress(of: "half") == [.started, .cancelled, .started, .finished])
      #expect(recording.progress(of: "complete") == [.started, .cancelled])
    }
  }

  /// A second client may use an id again. The end of the first call does not affect the second.
  @Test func anIdIsWhoseCallHoldsIt() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        for client in ["olga", "paul"] { try await session.permit(client) }
        let name = session.name
        func begin(_ client: String) async throws -> InjectionStream {
          let stream = try await server.steering(as: client).injectSpeech(
            .with {
              $0.name = name
              $0.injectionID = "shared"
              $0.format = Anechoic_V1_AudioFormat(.s16)
            })
          try await stream.send(.with { $0.samples = Data(AudioFormat.s16.babble(500)) })
          return stream
        }
        let watch = try await server.steering(as: "olga").begunWatch(name)
        let first = try await begin("olga")
        _ = try await watch.event { $0.injectionProgress.state == .started }
        session.decide("olga", grant: false)
        _ = try await watch.event { $0.injectionProgress.state == .cancelled }
        let second = try await begin("paul")
        _ = try await watch.event { $0.injectionProgress.state == .started }
        // The denied client continues to send and then cancels its call.
        try? await first.send(.with { $0.samples = Data(AudioFormat.s16.babble(900)) })
        // The client gets the status without sending more.
        await #expect(throws: Status.self) { try await first.finish() }
        first.cancel()
        let heard = try await second.finish()
        #expect(heard.injected.seconds == 0 && heard.injected.nanos == 500_000_000)
      }
      #expect(recording.progress(of: "shared") == [.started, .cancelled, .started, .finished])
    }
  }

  @Test func modeNoneEndsWhatIsHeardAndWhatWaits() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await InjectedSession.run(server) { session in
        for client in ["olga", "paul"] { try await session.permit(client) }
        let steering = server.steering(as: "olga")
        let watch = try await steering.begunWatch(session.name)
        let long = AudioFormat.s16.babble(60_000)
        async let first = refusal { try await session.inject(long, .s16, as: "olga") }
        async let second = refusal { try await session.inject(long, .s16, as: "paul") }
        _ = try await watch.event { $0.injectionProgress.state == .started }
        _ = try await steering.update(
          .with {
            $0.name = session.name
            $0.config.preferredInjectionMode = .none
          }, mask: ["config.preferred_injection_mode"])
        for status in try await [first, second] {
          // A client that comes now finds the mode off.
          #expect(["INJECTION_CANCELLED", "INJECTION_OFF"].contains(status?.reason ?? ""))
        }
      }
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
    }
  }

  @Test func theEndOfTheSessionCancelsInjections() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let steering = server.steering(as: "paul")
        let watch = try await steering.begunWatch(session.name)
        async let injected = refusal {
          try await session.inject(AudioFormat.s16.babble(60_000), .s16, id: "1", as: "olga")
        }
        _ = try await watch.event { $0.injectionProgress.state == .started }
        try await steering.delete(session.name)
        let status = try await injected
        #expect(
          status?.code == .notFound || status?.code == .aborted, "\(String(describing: status))")
      }
      #expect(recording.progress(of: "1") == [.started, .cancelled])
      #expect(recording.endReason == .deleted)
    }
  }

  @Test func ofNineAtOnceOneIsRefusedAndTheOthersMayHangUp() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let long = AudioFormat.s16.babble(60_000)
        try await withThrowingTaskGroup { group in
          for _ in 0..<9 {
            group.addTask {
              try await refusal { try await session.inject(long, .s16, as: "olga") }
            }
          }
          let first = try await group.next() ?? nil
          #expect(first?.code == .resourceExhausted)
          #expect(first?.reason == "TOO_MANY_INJECTIONS")
          group.cancelAll()
          while let status = try await group.next() { #expect(status?.code == .cancelled) }
        }
        // All places become free again.
        try await session.inject(AudioFormat.s16.babble(100), .s16, id: "last", as: "olga")
      }
      #expect(recording.progress(of: "last") == [.started, .finished])
      let cancelled = recording.events.filter { $0.injectionProgress.state == .cancelled }
      #expect(cancelled.count == 8 && recording.endReason == .clientClosed)
    }
  }

  @Test func cancellingWhileTextIsSpokenHoldsUpNobody() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let long = String(repeating: "Somebody is at the door. ", count: 190)
        for _ in 0..<8 {
          let injection = try await server.steering(as: "olga").injectSpeech(
            .with { $0.name = session.name })
          try await injection.send(text: long)
          injection.cancel()
        }
        let heard = try await session.inject(texts: ["Hello."], id: "last", as: "olga")
        #expect(heard.injected.seconds < 3)
      }
      #expect(recording.progress(of: "last") == [.started, .finished])
      #expect(recording.hasContiguousEvents)
    }
  }

  @Test func anIDInUseIsRefusedAndTheOtherInjectionContinues() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let watch = try await server.steering(as: "olga").begunWatch(session.name)
        async let first = session.inject(AudioFormat.s16.babble(3000), .s16, id: "1", as: "olga")
        _ = try await watch.event { $0.injectionProgress.state == .started }
        let status = try await refusal {
          try await session.inject(AudioFormat.s16.babble(100), .s16, id: "1", as: "olga")
        }
        #expect(status?.code == .alreadyExists && status?.reason == "INJECTION_EXISTS")
        #expect(try await first.injected.seconds == 3)
      }
      #expect(recording.progress(of: "1") == [.started, .finished])
    }
  }
}
