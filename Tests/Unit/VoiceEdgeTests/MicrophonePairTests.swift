import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

@testable import VoiceEdge

/// The two microphones of a port, which hear in a direction.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MicrophonePairTests {
  private func setUp(
    _ rig: AgentRig, _ fill: (inout Anechoic_V1_SetUpMicrophoneRequest) -> Void = { _ in }
  ) async throws {
    let _: Anechoic_V1_SetUpMicrophoneResponse = try await rig.ask(
      RPC.setUpMicrophone, Anechoic_V1_SetUpMicrophoneRequest.with(fill))
  }

  @Test func aPortSaysHowItsMicrophonesHearAndAPersonTurnsTheDevice() async throws {
    try await AgentRig.run {
      $0.configuration.audio.inputChannels = 2
      $0.configuration.routes.ports[0].pattern = .stereo
      $0.configuration.routes.ports[0].microphoneSpacing = 30
    } _: { rig in
      try await rig.running()
      func pair() async throws -> Anechoic_V1_MicrophonePair? {
        let port = try await rig.remote.get(rig.status.session).route.input
        return port.hasMicrophonePair ? port.microphonePair : nil
      }
      try await eventually("the server knows the pair") {
        try await pair()?.pattern == .stereo
      }
      #expect(try await pair()?.spacingMillimeters == 30)
      let session = rig.status.session
      try await setUp(rig) { ($0.pattern, $0.turned) = (.cardioid, true) }
      try await eventually("turned") {
        try await pair().map { $0.pattern == .cardioid && $0.turned } == true
      }
      try await setUp(rig)
      try await eventually("each microphone is a channel") { try await pair() == nil }
      // The call goes on, and the canceller keeps what it has learnt.
      #expect(rig.status.session == session && rig.status.sessionCount == 1)
      let status = await code { try await setUp(rig) { $0.pattern = .UNRECOGNIZED(9) } }
      #expect(status == .invalidArgument)
    }
  }

  @Test func oneMicrophoneIsNoPair() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let status = await code { try await setUp(rig) { $0.pattern = .stereo } }
      #expect(status == .failedPrecondition)
    }
  }
}
