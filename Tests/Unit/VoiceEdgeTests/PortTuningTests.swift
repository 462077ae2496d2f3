import AnechoicAPI
import AudioCore
import Foundation
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// The tuning of the port in use.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct PortTuningTests {
  @Test func aPortHasTheTuningOfItsProduct() {
    var configuration = EdgeConfiguration()
    var tuning = Tuning()
    tuning.delay = 30
    configuration.tunings.products["lamp"] = tuning
    var port = EdgeConfiguration.Port(id: "desk")
    #expect(configuration.tuning(of: nil) == Tuning())
    #expect(configuration.tuning(of: port) == Tuning())
    port.product = "lamp"
    #expect(configuration.tuning(of: port) == tuning)
    #expect(configuration.tuning(of: EdgeConfiguration.Port(id: "lamp")) == tuning)
  }

  @Test func theLoudspeakerIsTunedAndItsTimesAreLater() {
    let mix = FrameRing(rate: .hz16000, channelCount: 1, capacity: 8, note: MixNote())
    let played = FrameRing(rate: .hz16000, channelCount: 1, capacity: 8, note: PlayedNote())
    let controls = LoudspeakerControls(
      volume: 0, testSound: [Float](repeating: 0.5, count: 160))
    let slot = TuningSlot()
    slot.set(Tuning.Direction(level: -20))
    controls.setDelay(milliseconds: 40)
    let loudspeaker = Loudspeaker(mix: mix, played: played, controls, tuning: slot)
    let frame = Frame(rate: .hz16000, channelCount: 1)
    loudspeaker.render(into: frame, heardAt: 1_000_000)
    let note = played.read(into: frame)
    #expect(note?.heardAt == 41_000_000)
  }

  @Test(arguments: [true, false])
  func theStrengthFollowsTheRoute(hasServer: Bool) async throws {
    try await AgentRig.run { setup in
      setup.hasServer = hasServer
      setup.configuration.fallback = .full
      var ports = setup.configuration.routes.ports
      var other = EdgeConfiguration.Port(id: "headset")
      (other.input, other.output) = ("mic", "spk")
      ports.append(other)
      setup.configuration.routes.ports = ports
      var tuning = Tuning()
      tuning.echo = .high
      setup.configuration.tunings.products["desk"] = tuning
    } _: { rig in
      func expect(_ level: Anechoic_V1_VoiceProcessing.Level?) async throws {
        try await eventually("\(String(describing: level))") {
          let config = try await (hasServer ? rig.remote : rig.local).get("sessions/edge").config
          return (config.voiceProcessing.echoCancellation.suppression == .high) == (level != nil)
        }
      }
      try await expect(.high)
      _ = try await rig.chooseRoute("headset")
      try await expect(nil)
      _ = try await rig.chooseRoute("desk")
      try await expect(.high)
    }
  }

  /// Between two calls, no session follows the route.
  @Test func theStrengthOfAPortDoesNotStayWithTheNextCall() async throws {
    try await AgentRig.run { setup in
      setup.configuration.calls.begin = .request
      var other = EdgeConfiguration.Port(id: "headset")
      (other.input, other.output) = ("mic", "spk")
      setup.configuration.routes.ports.append(other)
      var tuning = Tuning()
      tuning.echo = .high
      setup.configuration.tunings.products["desk"] = tuning
    } _: { rig in
      for (port, isHigh) in [("desk", true), ("headset", false), ("desk", true)] {
        _ = try await rig.chooseRoute(port)
        let _: Anechoic_V1_BeginCallResponse = try await rig.ask(
          RPC.beginCall, Anechoic_V1_BeginCallRequest.with { $0.holder = "test" })
        try await eventually("\(port) in a call") {
          let session = try? await rig.remote.get("sessions/edge")
          let level = session?.config.voiceProcessing.echoCancellation.suppression
          return level.map { ($0 == .high) == isHigh } ?? false
        }
        let _: Anechoic_V1_EndCallResponse = try await rig.ask(
          RPC.endCall, Anechoic_V1_EndCallRequest())
        try await eventually("the call is over") {
          (try? await rig.remote.get("sessions/edge")) == nil
        }
      }
    }
  }
}
