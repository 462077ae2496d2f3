import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import VoiceClient

/// A session that accepts injected speech, its media client, and a client that may inject.
struct InjectedSession {
  static let start = Anechoic_V1_Start.mediaClock().with {
    $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
    $0.config.preferredInjectionMode = .spokenAudio
  }

  let name: String
  let media: RunningClient
  let server: TestServer

  /// Runs a session. Its media client grants permission to the clients that `body` lets ask.
  static func run(
    _ server: TestServer, _ start: Anechoic_V1_Start = Self.start,
    microphone: [UInt8] = [UInt8](repeating: 0, count: AudioFormat.s16.bytes(1000)),
    _ body: (InjectedSession) async throws -> Void
  ) async throws -> Recording {
    try await RunningClient.run(server, start, microphone: microphone) { media, steering in
      try await steering.waitForFrames(of: media.session)
      try await body(InjectedSession(name: media.session, media: media, server: server))
    }
  }

  /// Asks for permission as a client, and lets the media client answer.
  func permit(_ client: String, grant: Bool = true) async throws {
    let own = server.steering(as: client)
    let watch = try await own.begunWatch(name)
    async let answer = own.requestInjectionPermission(name, usageDescription: "Doorbell")
    _ = try await watch.event { $0.injectionPermissionRequested.client == client }
    decide(client, grant: grant)
    #expect(try await answer == (grant ? .granted : .denied))
    watch.cancel()
  }

  func decide(_ client: String, grant: Bool) {
    media.submit(
      .with {
        $0.decideInjectionPermission.client = client
        $0.decideInjectionPermission.grant = grant
      })
  }

  /// Injects audio in chunks of 100 ms, to the end.
  @discardableResult
  func inject(
    _ audio: [UInt8], _ format: AudioFormat, id: String = "", as client: String
  ) async throws -> Anechoic_V1_InjectSpeechResponse {
    let injection = try await server.steering(as: client).injectSpeech(
      .with {
        $0.name = name
        $0.injectionID = id
        $0.format = Anechoic_V1_AudioFormat(format)
      })
    let size = format.bytes(100)
    do {
      for offset in stride(from: 0, to: audio.count, by: size) {
        try await injection.send(.with { $0.samples = Data(audio[offset...].prefix(size)) })
      }
    } catch is Status {
      // `finish` throws the same error.
    }
    return try await injection.finish()
  }

  /// Injects texts to the end.
  @discardableResult
  func inject(
    texts: [String], voice: String = "", id: String = "", as client: String
  ) async throws -> Anechoic_V1_InjectSpeechResponse {
    let injection = try await server.steering(as: client).injectSpeech(
      .with {
        $0.name = name
        $0.injectionID = id
        $0.voice = voice
      })
    do {
      for text in texts { try await injection.send(text: text) }
    } catch is Status {
      // `finish` throws the same error.
    }
    return try await injection.finish()
  }
}

extension Recording {
  /// Returns the states of an injection in order.
  func progress(of id: String) -> [Anechoic_V1_InjectionProgress.State] {
    events.map(\.injectionProgress).filter { $0.injectionID == id }.map(\.state)
  }
}
