import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import ScriptedDevices
import SwiftProtobuf
import TestAudio
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// Media of this machine, which a person with headphones hears in front, however the head is turned.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SpatialAudioTests {
  private func pose(yaw: Float) throws -> [UInt8] {
    try Anechoic_V1_TurnHeadRequest.with { $0.pose.angles.yawDegrees = yaw }.serializedBytes()
  }

  @Test func mediaTurnsAgainstTheHead() async throws {
    let noise = Signals.noise(16_000, amplitude: 0.25, seed: 4)
    try await AgentRig.run { setup in
      setup.microphone = { _ in 0 }
      setup.configuration.audio.outputChannels = 2
      setup.configuration.routes.ports[0].headphones = true
      setup.configuration.session.configuration.spatialAudio = .with {
        ($0.enabled, $0.headTracked, $0.earlyReflectionsDisabled) = (true, true, true)
      }
      setup.configuration.programs.otherAudio = .fifo(path: setup.folder.path("media"))
      setup.configuration.programs.otherAudioChannels = 1
    } _: { rig in
      let feed = FIFOFeed(rig.folder.path("media"), noise)
      defer { feed.stop() }
      try await eventually("rendered") {
        try await rig.remote.get(rig.status.session).stats.spatialAudioActive
      }
      let head = Channel(target: "unix:\(rig.folder.path("agent"))").call(
        Method(service: RPC.edge, name: RPC.turnHead))
      // Only the left channel of the loudspeaker is recorded.
      func left(yaw: Float) async throws -> Float {
        try await head.send(pose(yaw: yaw))
        try await rig.plays(.milliseconds(700))
        return level(rig.loudspeaker.played.suffix(4000))
      }
      let (right, ahead, turned) = (
        try await left(yaw: 90), try await left(yaw: 0), try await left(yaw: -90)
      )
      #expect(right < ahead - 3 && ahead < turned - 1, "\(right), \(ahead), \(turned) dB")
      head.halfClose()
      #expect(try await head.receive() != nil)
    }
  }

  @Test func aPoseThatIsNoneIsRefused() async throws {
    try await AgentRig.run { rig in
      for request in [Anechoic_V1_TurnHeadRequest(), .with { $0.pose.angles.yawDegrees = .nan }] {
        let status = await code {
          let head = Channel(target: "unix:\(rig.folder.path("agent"))").call(
            Method(service: RPC.edge, name: RPC.turnHead))
          try await head.send(request.serializedBytes())
          _ = try await head.receive()
        }
        #expect(status == .invalidArgument)
      }
    }
  }
}
