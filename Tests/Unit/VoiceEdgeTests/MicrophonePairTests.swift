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

  /// A voice in front of the pair, at its side and behind it, as in the tests of the session.
  @Test(arguments: [EdgeConfiguration.Fallback.light, .full])
  func thisMachineHearsInTheDirectionWithoutAServer(
    fallback: EdgeConfiguration.Fallback
  ) async throws {
    // The time between the two microphones for sound along their line.
    let later = 0.020 / 343
    try await AgentRig.run { setup in
      setup.hasServer = false
      // A steady vowel: harmonics of 150 Hz.
      setup.microphone = { time in
        let sum = (2...12).reduce(0.0) { $0 + sin(2 * .pi * 150 * Double($1) * time + Double($1)) }
        return Float(0.02 * sum)
      }
      setup.configuration.fallback = fallback
      setup.configuration.session.configuration.voiceProcessing = .with {
        $0.echoCancellation.enabled = false
        $0.noiseSuppression.enabled = false
        $0.gainControl.enabled = false
      }
      setup.configuration.audio.inputChannels = 2
      setup.configuration.routes.ports[0].pattern = .cardioid
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      try await rig.running()
      // The level of parts of 20 ms in two channels. A machine that is too busy leaves sound out, so
      // that only parts between others with sound count.
      func heard(from later: Double) async throws -> Float {
        rig.microphone.hear(channelsLaterBy: later)
        try await rig.plays(.milliseconds(400))
        tap.clear()
        var whole: [Float] = []
        try await eventually("heard") {
          let samples = tap.samples
          let parts = (0..<samples.count / 640).map { part in
            level(samples[(part * 640)..<((part + 1) * 640)])
          }
          whole = parts.indices.dropFirst().dropLast().filter { index in
            parts[(index - 1)...(index + 1)].allSatisfy { $0 > -100 }
          }.map { parts[$0] }
          return whole.count >= 40
        }
        return whole.sorted()[whole.count / 2]
      }
      let front = try await heard(from: later)
      let (side, rear) = (try await heard(from: 0), try await heard(from: -later))
      #expect(abs(front - side - 6) < 2, "\(front) dB in front, \(side) dB at the side")
      #expect(front - rear > 25, "\(front) dB in front, \(rear) dB behind")
      // Turned, the other side is the front.
      try await setUp(rig) { ($0.pattern, $0.turned) = (.cardioid, true) }
      let turned = try await heard(from: -later)
      #expect(abs(turned - front) < 1.5, "\(turned) dB turned")
      // Without a direction, each microphone is a channel again.
      try await setUp(rig)
      #expect(abs(try await heard(from: 0) - front) < 1.5)
    }
  }
}
