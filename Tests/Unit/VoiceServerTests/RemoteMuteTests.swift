import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

/// Mute by a client that does not stream the audio.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RemoteMuteTests {
  private static let microphone = AudioFormat.s16.babble(3000)

  @Test func onlyTheAudioBetweenTheTwoSamplesIsSilent() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server, microphone: Self.microphone) {
        client, steering in
        try await client.waitForFrames(more: 30)
        _ = try await steering.setMute(client.session, muted: true)
        try await client.waitForFrames(more: 50)
        _ = try await steering.setMute(client.session, muted: false)
        try await client.waitForFrames(more: 30)
      }
      let changes = recording.events.filter { $0.muteChanged.hasState }
      #expect(changes.map(\.muteChanged.state.muted) == [true, false])
      let delay = Int(recording.started.algorithmicDelay.nanos) / 62_500  // In samples at 16 kHz.
      let (from, to) = (
        Int(try #require(changes.first).microphoneSample) + delay,
        Int(try #require(changes.last).microphoneSample) + delay
      )
      let alone = try await server.record(
        .mediaClock(), microphone: Self.sent(recording.processed.count))
      let (heard, plain) = (samples(recording), samples(alone))
      let ramp = 80
      try #require(ramp < from && from + 320 < to && to + ramp < heard.count)
      #expect(heard[..<(from - ramp)] == plain[..<(from - ramp)])
      #expect(heard[from..<to].allSatisfy { $0 == 0 })
      #expect(heard[(to + ramp)...] == plain[(to + ramp)...])
      #expect(plain[from..<to].contains { $0 != 0 } && plain[to...].contains { $0 != 0 })
    }
  }

  @Test func everyWayToMuteNamesItsClient() async throws {
    try await TestServer.run { server in
      let media = VoiceProcessingClient(server: server.address, clientName: "media")
      let stream = try await media.process(.mediaClock())
      let name = stream.started.session
      let (olga, paul) = (server.steering(as: "olga"), server.steering(as: "paul"))
      let watch = try await olga.begunWatch(name)
      try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(100)) })
      try await olga.waitForFrames(of: name)

      let first = try await olga.setMute(name, muted: true).state
      #expect(first.muted && first.generation == 1)
      #expect(first.actor == "olga" && first.source == .controlClient)
      // Nothing changes, so no client becomes the actor.
      let again = try await paul.setMute(name, muted: true).state
      #expect(again == first)
      let gesture = try await paul.reportMuteGesture(name, id: "1").state
      #expect(!gesture.muted && gesture.generation == 2)
      #expect(gesture.actor == "paul" && gesture.source == .gesture)
      try await stream.send(.with { $0.setMute.muted = true })
      var changes: [Anechoic_V1_MuteState] = []
      while changes.count < 3 {
        changes.append(
          try await watch.event { $0.muteChanged.hasState }.muteChanged.state)
      }
      #expect(changes[0] == first && changes[1] == gesture && changes[2].generation == 3)
      #expect(changes[2].actor == "media" && changes[2].source == .mediaClient)
      #expect(try await olga.get(name).mute == changes[2])
      stream.cancel()
    }
  }

  @Test func aClientWithoutANameIsNamedAfterItsHost() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let response: Anechoic_V1_SetMuteResponse = try await server.ask(
        RPC.setMute,
        Anechoic_V1_SetMuteRequest.with {
          $0.name = stream.started.session
          $0.muted = true
        }, as: "", Anechoic_V1_SetMuteResponse.self)
      #expect(response.state.actor == "ipv4:127.0.0.1")
      stream.cancel()
    }
  }

  @Test func aStaleChangeIsRefused() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let (name, olga) = (stream.started.session, server.steering(as: "olga"))
      #expect(try await olga.setMute(name, muted: true, ifGeneration: 0).state.generation == 1)
      for stale in [0, 2, .max] as [UInt64] {
        for muted in [true, false] {
          let status = try await refusal {
            _ = try await olga.setMute(name, muted: muted, ifGeneration: stale)
          }
          #expect(status?.code == .aborted && status?.reason == "STALE_GENERATION")
        }
      }
      let mute = try await olga.get(name).mute
      #expect(mute.muted && mute.generation == 1)
      #expect(try await olga.setMute(name, muted: false, ifGeneration: 1).state.generation == 2)
      stream.cancel()
    }
  }

  /// Returns the audio that a `RunningClient` has sent when this number of bytes has come back.
  static func sent(_ count: Int) -> [UInt8] {
    let size = AudioFormat.s16.bytes(10)
    return (0..<count / size).flatMap { frame in
      microphone[(frame * size % (microphone.count - size))...].prefix(size)
    }
  }

  private func samples(_ recording: Recording) -> [Float] { decode(recording.processed, .s16)[0] }
}
