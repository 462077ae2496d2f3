import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient
import VoiceServer

/// Named far ends in sessions of a server.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SpatialAudioTests {
  private static let ids = ["alice", "bob"]
  private static let start = RecordedCall.start.with {
    $0.outputs.playback = Anechoic_V1_AudioFormat(
      AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 2))
    $0.inputs.farEnds = ids.map { id in
      .with {
        $0.farEndID = id
        $0.format = Anechoic_V1_AudioFormat(.s16)
      }
    }
    $0.config.spatialAudio = .with {
      $0.enabled = true
      $0.headTracked = true
      $0.sources = zip(ids, [90, -90] as [Float]).map { id, azimuth in
        .with {
          $0.farEndID = id
          $0.azimuthDegrees = azimuth
        }
      }
    }
  }

  /// A second of audio, in which alice moves after 0.5 s and the head turns all the time.
  private static let requests: [Anechoic_V1_ProcessRequest] = {
    let voices = ids.indices.map { AudioFormat.s16.babble(1_000, seed: UInt32($0 + 5)) }
    let size = AudioFormat.s16.bytes(10)
    var requests: [Anechoic_V1_ProcessRequest] = [.headphones]
    for frame in 0..<100 {
      requests.append(
        .with {
          $0.headPose.deviceTimeNs = Int64(frame) * 10_000_000 + 1
          $0.headPose.angles.yawDegrees = Float(frame)
        })
      if frame == 50 {
        requests.append(
          .update(1, ["spatial_audio.sources"]) {
            $0.spatialAudio.sources = [.with { $0.farEndID = "alice" }]
          })
      }
      requests.append(
        .with {
          $0.audio.microphone.samples = Data(count: size)
          $0.audio.microphone.deviceTimeNs = Int64(frame) * 10_000_000
          $0.audio.farEnds = zip(ids, voices).map { id, voice in
            .with {
              $0.farEndID = id
              $0.audio.samples = Data(voice[frame * size..<(frame + 1) * size])
            }
          }
        })
    }
    return requests
  }()

  @Test func aSceneIsReplayedBitForBit() async throws {
    let call = try await RecordedCall.run { server in
      try await server.record(Self.start, Self.requests)
    }
    #expect(call.heard.results.map(\.hasRefusal) == [false])
    #expect(call.heard.endReason == .clientClosed)
    let planes = decode(
      call.heard.playback, AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 2))
    #expect(planes[0].count == 16_000 && planes[0] != planes[1])
    try call.expectSame()
  }

  @Test func thePlaceIsChangedByAnotherClient() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(Self.start)
      let steering = server.steering(as: "olga")
      let updated = try await steering.update(
        .with {
          $0.name = stream.started.session
          $0.config.spatialAudio.sources = [.with { $0.farEndID = "bob" }]
        }, mask: ["config.spatial_audio.sources"]
      ).session
      #expect(updated.config.spatialAudio.sources.map(\.farEndID) == ["bob"])
      #expect(updated.config.spatialAudio.enabled)
      #expect(stream.started.inputs.farEnds.map(\.farEndID) == Self.ids)
      stream.cancel()
    }
  }

  private static let refused: [(path: String, request: Anechoic_V1_ProcessRequest)] = [
    ("head_pose.quaternion", .with { $0.headPose.quaternion.w = .nan }),
    ("head_pose", .with { $0.headPose = .init() }),
    (
      "audio.far_ends[0].far_end_id",
      .with { $0.audio.farEnds = [.with { $0.farEndID = "mallory" }] }
    ),
    (
      "audio.far_ends[0].audio.samples",
      .with {
        $0.audio.farEnds = [
          .with {
            $0.farEndID = "bob"
            $0.audio.samples = Data(count: 3)
          }
        ]
      }
    ),
    (
      "audio.far_ends",
      .with { $0.audio.farEnds = (0...16).map { _ in .with { $0.farEndID = "bob" } } }
    ),
  ]

  @Test func wrongRequestsEndTheCallWithTheirField() async throws {
    try await TestServer.run { server in
      for (path, request) in Self.refused {
        let start = Self.start.with { $0.sessionID = "" }
        let status = try await server.status(after: [.start(start), request])
        try status.expect(.invalidArgument, field: path, reason: "INVALID_FIELD")
      }
    }
  }
}

extension Anechoic_V1_ProcessRequest {
  fileprivate static let headphones = Self.with {
    $0.deviceReport.routeChanged.reason = .newDevice
    $0.deviceReport.routeChanged.current.output.headphones = true
  }
}
