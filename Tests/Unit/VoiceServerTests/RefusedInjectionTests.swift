import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// Injections with invalid messages. Each leaves the session unchanged.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RefusedInjectionTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let field: String
    /// The messages after the start.
    let requests: [Anechoic_V1_InjectSpeechRequest]
    let start: @Sendable (inout Anechoic_V1_InjectionStart) -> Void

    init(
      _ field: String, _ requests: [Anechoic_V1_InjectSpeechRequest] = [],
      start: @escaping @Sendable (inout Anechoic_V1_InjectionStart) -> Void = { _ in }
    ) {
      self.field = field
      self.requests = requests
      self.start = start
    }

    var testDescription: String { "\(field) \(requests.first?.text.prefix(10) ?? "")" }
  }

  private static let audio = Anechoic_V1_InjectSpeechRequest.with {
    $0.audio.samples = Data(AudioFormat.s16.babble(100))
  }
  private static let faults: [Fault] = [
    Fault("start.voice") { $0.voice = "nonsense" },
    Fault("start.voice") { $0.voice = "../../etc/passwd" },
    Fault("start.voice") { $0.voice = "a" + String(repeating: "\u{301}", count: 20_000) },
    Fault("start.injection_id") { $0.injectionID = "a/b" },
    Fault("start.injection_id") { $0.injectionID = String(repeating: "a", count: 64) },
    Fault("start.format.sample_rate_hz") {
      $0.format = Anechoic_V1_AudioFormat(.s16)
      $0.format.sampleRateHz = 22050
    },
    Fault("start.format.channel_count") {
      $0.format = Anechoic_V1_AudioFormat(.s16)
      $0.format.channelCount = 3
    },
    Fault("start", [.with { $0.start = .init() }]),
    Fault("request", [.init()]),
    Fault("request"),
    Fault("request") { $0.format = Anechoic_V1_AudioFormat(.s16) },
    Fault("audio", [audio]),
    Fault("text", [.with { $0.text = "Hello." }]) { $0.format = Anechoic_V1_AudioFormat(.s16) },
    Fault("text", [.with { $0.text = "" }]),
    Fault("text", [.with { $0.text = " \n" }]),
    Fault("text", [.with { $0.text = "a\u{0}b" }]),
    Fault("text", [.with { $0.text = String(repeating: "a", count: 5001) }]),
    Fault(
      "text", [.with { $0.text = "One." }, .with { $0.text = String(repeating: "a", count: 4997) }]),
    Fault("audio.samples", [.with { $0.audio = .init() }]) {
      $0.format = Anechoic_V1_AudioFormat(.s16)
    },
    Fault("audio.samples", [.with { $0.audio.samples = Data([1]) }]) {
      $0.format = Anechoic_V1_AudioFormat(.s16)
    },
    Fault("audio.samples", [.with { $0.audio.samples = Data(count: 32_002) }]) {
      $0.format = Anechoic_V1_AudioFormat(.s16)
    },
    Fault("audio.samples", [.with { $0.audio.samples = Data([0, 0, 0xc0, 0x7f]) }]) {
      $0.format = Anechoic_V1_AudioFormat(
        AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 1))
    },
  ]

  @Test func aRefusalNamesTheFieldAndTheSessionContinues() async throws {
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        for fault in Self.faults {
          let status = try await refusal { try await inject(fault, into: session) }
          #expect(status?.code == .invalidArgument, "\(fault): \(String(describing: status))")
          #expect(
            status?.message.hasPrefix("\(fault.field): ") == true,
            "\(fault): \(String(describing: status))")
        }
        // The next injection does not have to wait.
        let heard = try await session.inject(AudioFormat.s16.babble(100), .s16, as: "olga")
        #expect(heard.injected.nanos == 100_000_000)
      }
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
    }
  }

  @Test func anInjectionWithoutAStartIsRefused() async throws {
    try await TestServer.run { server in
      for requests in [[], [Self.audio]] as [[Anechoic_V1_InjectSpeechRequest]] {
        let call = server.channel.call(
          Method(service: RPC.sessions, name: RPC.injectSpeech), timeout: .seconds(20))
        let status = try await refusal {
          for request in requests { try await call.send(request.serializedBytes()) }
          call.halfClose()
          _ = try await call.receive()
        }
        try #require(status).expect(.invalidArgument, field: "start")
      }
    }
  }

  @Test func anInjectionThatSaysNothingEndsAndTheSessionContinues() async throws {
    try await TestServer.run {
      $0.limits.idleLimit = .seconds(1)
    } _: { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let silent = try await server.steering(as: "olga").injectSpeech(
          .with { $0.name = session.name })
        let began = ContinuousClock.now
        while ContinuousClock.now - began < .milliseconds(1500) {
          try await session.media.waitForFrames(more: 10)
        }
        let status = try await refusal { _ = try await silent.finish() }
        #expect(status?.code == .aborted, "\(String(describing: status))")
        #expect(status?.reason == "IDLE")
      }
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
    }
  }

  /// Sends plain messages, because `InjectionStream` sends nothing invalid.
  private func inject(_ fault: Fault, into session: InjectedSession) async throws {
    var metadata = Metadata()
    metadata.append(RPC.clientName, "olga")
    let call = session.server.channel.call(
      Method(service: RPC.sessions, name: RPC.injectSpeech), metadata: metadata,
      timeout: .seconds(20))
    let start = Anechoic_V1_InjectSpeechRequest.with {
      $0.start.name = session.name
      fault.start(&$0.start)
    }
    for request in [start] + fault.requests { try await call.send(request.serializedBytes()) }
    call.halfClose()
    while try await call.receive() != nil {}
  }
}
