import AnechoicAPI
import AudioCore
import Authentication
import Foundation
import GRPCTransport
import SessionWire
import SpatialAudio
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

@testable import VoiceServer

/// Sessions whose listener has a profile.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ProfileSessionTests {
  private static let format = AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 2)

  private static let start = RecordedCall.start.with {
    $0.outputs.playback = Anechoic_V1_AudioFormat(format)
    $0.inputs.farEnds = [
      .with {
        $0.farEndID = "alice"
        $0.format = Anechoic_V1_AudioFormat(.s16)
      }
    ]
    $0.config.spatialAudio = .with {
      $0.enabled = true
      $0.sources = [
        .with {
          $0.farEndID = "alice"
          $0.azimuthDegrees = 90
        }
      ]
    }
  }

  private static let headphones = Anechoic_V1_DeviceReport.with {
    $0.routeChanged.reason = .newDevice
    $0.routeChanged.current.output.headphones = true
  }

  private static func audio(_ frame: Int) -> Anechoic_V1_AudioInput {
    let size = AudioFormat.s16.bytes(10)
    let place = frame % 100 * size
    return .with {
      $0.microphone.samples = Data(count: size)
      $0.farEnds = [
        .with {
          $0.farEndID = "alice"
          $0.audio.samples = Data(voice[place..<place + size])
        }
      ]
    }
  }

  private static let voice = encode([Signals.noise(16_000, seed: 5)], .s16)

  /// A store in which the client `ann` has the profile `turned`, whose ears are changed over.
  private static func profiles() throws -> ProfileStore {
    let profiles = ProfileStore()
    _ = try profiles.store(
      TestProfile.turned, as: "turned",
      of: ProfileOwner(Principal(name: "ann", host: "", scopes: [], isVerified: false)))
    return profiles
  }

  private static func client(_ server: TestServer) -> VoiceProcessingClient {
    VoiceProcessingClient(server: server.address, clientName: "ann")
  }

  /// Returns whether the playback is louder in the left ear.
  private static func isLeft(_ bytes: ArraySlice<UInt8>) -> Bool {
    let planes = decode(Array(bytes), format)
    func energy(_ plane: [Float]) -> Float { plane.reduce(0) { $0 + $1 * $1 } }
    return energy(planes[0]) > energy(planes[1])
  }

  @Test func aProfileIsHeardFromTheStart() async throws {
    let call = try await TestServer.run({
      $0.allowsRecording = true
      $0.profiles = try Self.profiles()
    }) { server in
      try await RecordedCall.run(server) {
        let start = Self.start.with { $0.config.spatialAudio.listenerProfile = "turned" }
        let stream = try await Self.client(server).process(start)
        try await stream.send(Self.headphones)
        for frame in 0..<50 { try await stream.send(Self.audio(frame)) }
        stream.finish()
        var recording = Recording()
        while let response = try await stream.receive() { recording.record(response) }
        return recording
      }
    }
    let isLeft = Self.isLeft(call.heard.playback.suffix(16_000))
    #expect(!isLeft)
    let outcome = try call.expectSame(profiles: ["turned": TestProfile.turned]).outcome
    #expect(outcome.hasSameHeadResponses)
    let without = try call.replay().outcome
    #expect(!without.hasSameHeadResponses && without.differsBy != nil)
    let other = try call.replay(profiles: ["turned": TestProfile.generic]).outcome
    #expect(!other.hasSameHeadResponses)
  }

  /// A change comes when the responses are loaded, so the call goes on until it is heard.
  @Test func aProfileIsHeardDuringTheSession() async throws {
    let call = try await TestServer.run({
      $0.allowsRecording = true
      $0.profiles = try Self.profiles()
    }) { server in
      try await RecordedCall.run(server) {
        let stream = try await Self.client(server).process(Self.start)
        var recording = Recording()
        var frame = 0
        func exchange() async throws {
          for _ in 0..<10 {
            try await stream.send(Self.audio(frame))
            frame += 1
          }
          while recording.playback.count < frame * Self.format.bytes(10) {
            recording.record(try #require(try await stream.receive()))
          }
        }
        try await stream.send(Self.headphones)
        for _ in 0..<5 { try await exchange() }
        let isLeft = Self.isLeft(recording.playback.suffix(12_800))
        #expect(isLeft)
        for (id, profile) in ["missing", "turned"].enumerated() {
          try await stream.send(
            Anechoic_V1_Control.with {
              $0.controlID = UInt64(id + 1)
              $0.updateConfig.config.spatialAudio.listenerProfile = profile
              $0.updateConfig.updateMask.paths = ["spatial_audio.listener_profile"]
            })
        }
        let limit = ContinuousClock.now + .seconds(60)
        repeat {
          try #require(ContinuousClock.now < limit, "the profile was never heard")
          try await exchange()
        } while Self.isLeft(recording.playback.suffix(12_800))
        stream.finish()
        while let response = try await stream.receive() { recording.record(response) }
        return recording
      }
    }
    #expect(call.heard.results.map(\.refusal.reason) == ["NO_PROFILE", ""])
    #expect(call.heard.results.first?.refusal.code == 5)
    try call.expectSame(profiles: ["turned": TestProfile.turned])
    let without = try call.replay().outcome
    #expect(!without.hasSameHeadResponses && without.differsBy != nil)
  }

  @Test func aProfileOfAnotherClientDoesNotExist() async throws {
    try await TestServer.run({ $0.profiles = try Self.profiles() }) { server in
      let start = Self.start.with { $0.config.spatialAudio.listenerProfile = "turned" }
      let status = try await server.status(after: [.start(start)])
      try status.expect(
        .notFound, field: "start.config.spatial_audio.listener_profile", reason: "NO_PROFILE")
      let stream = try await Self.client(server).process(start)
      // The profile belongs to the client that started the session, whoever names it.
      let steering = server.steering(as: "olga")
      let session = try await steering.update(
        .with {
          $0.name = stream.started.session
          $0.config.spatialAudio.listenerProfile = ""
        }, mask: ["config.spatial_audio.listener_profile"]
      ).session
      #expect(session.config.spatialAudio.listenerProfile.isEmpty)
      let again = try await steering.update(
        .with {
          $0.name = stream.started.session
          $0.config.spatialAudio.listenerProfile = "turned"
        }, mask: ["config.spatial_audio.listener_profile"]
      ).session
      #expect(again.config.spatialAudio.listenerProfile == "turned")
      stream.cancel()
    }
  }
}
