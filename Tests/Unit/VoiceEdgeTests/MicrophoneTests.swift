import AnechoicAPI
import Foundation
import GRPCTransport
import ScriptedDevices
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// The microphone that is open only while it is needed.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MicrophoneTests {
  private func run(
    detects: Bool = false, _ change: (inout AgentRig.Setup) throws -> Void = { _ in },
    _ body: (AgentRig) async throws -> Void
  ) async throws {
    try await AgentRig.run { setup in
      try setup.folder.write("", "lamp")
      setup.configuration.microphone.open = .whenNeeded
      setup.configuration.microphone.lamps = [setup.folder.path("lamp")]
      setup.configuration.session.configuration.mute.mutedTalkerDetectionDisabled = !detects
      try change(&setup)
    } _: { rig in
      try await body(rig)
    }
  }

  private func expect(
    _ rig: AgentRig, _ use: Anechoic_V1_MicrophoneUse, isOpen: Bool, isLit: Bool? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually("\(use)", sourceLocation: sourceLocation) {
      let status = try await rig.edgeStatus()
      guard let device = status.devices.first(where: { $0.role == "microphone" }) else {
        return false
      }
      let state: Anechoic_V1_EdgeDevice.State = isOpen ? .running : .closed
      guard status.microphoneUse == use, device.state == state else { return false }
      let lamp = isLit ?? isOpen ? "1\n" : "0\n"
      return rig.microphone.isOpen == isOpen && rig.folder.text("lamp") == lamp
        && status.recording == (isLit ?? isOpen)
    }
  }

  @Test func whileMutedItIsClosedAndTheLampIsDark() async throws {
    try await run { rig in
      try await expect(rig, .session, isOpen: true)
      let events = try await EventLog(rig)
      defer { events.stop() }
      for _ in 0..<2 {
        _ = try await rig.local.setMute("", muted: true)
        try await expect(rig, .closedWhileMuted, isOpen: false)
        let device = try await rig.edgeStatus().devices.first { $0.role == "microphone" }
        #expect(device?.device == "mic" && device?.detail == "closed, because it is muted")
        _ = try await rig.local.setMute("", muted: false)
        try await expect(rig, .session, isOpen: true)
      }
      #expect(rig.microphone.openCount == 3)
      try await eventually("the server was told the reason") {
        events.all.contains {
          $0.discontinuity.input == .microphone && $0.discontinuity.reason == .muted
        }
      }
    }
  }

  @Test func aTalkerWhoIsMutedIsStillDetected() async throws {
    try await run(detects: true) { rig in
      try await expect(rig, .session, isOpen: true)
      _ = try await rig.local.setMute("", muted: true)
      // Only this machine hears the person.
      try await expect(rig, .mutedTalker, isOpen: true, isLit: false)
      try await eventually("detected") { try await rig.edgeStatus().mutedSpeechActive }
      #expect(rig.microphone.openCount == 1)
    }
  }

  @Test func anotherClientMayEndTheDetection() async throws {
    try await run(detects: true) { rig in
      _ = try await rig.local.setMute("", muted: true)
      try await expect(rig, .mutedTalker, isOpen: true, isLit: false)
      var session = Anechoic_V1_Session()
      session.name = "sessions/edge"
      session.config.mute.mutedTalkerDetectionDisabled = true
      _ = try await rig.remote.update(
        session, mask: ["config.mute.muted_talker_detection_disabled"])
      try await expect(rig, .closedWhileMuted, isOpen: false)
    }
  }

  @Test func theSwitchOfTheDeviceClosesIt() async throws {
    try await run(detects: true) { rig in
      try await expect(rig, .session, isOpen: true)
      rig.mixer.turn(on: false)
      try await expect(rig, .closedWhileMuted, isOpen: false)
      rig.mixer.turn(on: true)
      try await expect(rig, .session, isOpen: true)
    }
  }

  @Test func withoutASessionItIsNeverOpened() async throws {
    try await run { setup in
      setup.hasServer = false
      setup.configuration.fallback = .silence
    } _: { rig in
      try await expect(rig, .closedWithoutSession, isOpen: false)
      #expect(rig.microphone.openCount == 0)
      try rig.startServer()
      try await expect(rig, .session, isOpen: true)
      await rig.stopServer()
      try await expect(rig, .closedWithoutSession, isOpen: false)
    }
  }

  @Test func theLocalVoiceIsASession() async throws {
    try await run { setup in
      setup.hasServer = false
    } _: { rig in
      try await expect(rig, .session, isOpen: true)
    }
  }

  @Test func aMutedMicrophoneThatIsSentIsARecording() async throws {
    try await run(detects: true) {
      $0.configuration.mute.audio = .sent
    } _: { rig in
      _ = try await rig.local.setMute("", muted: true)
      try await expect(rig, .mutedTalker, isOpen: true, isLit: true)
    }
  }

  @Test func whereNoDetectionIsWantedItIsClosed() async throws {
    try await run(detects: true) {
      $0.configuration.mute.audio = .closed
    } _: { rig in
      _ = try await rig.local.setMute("", muted: true)
      try await expect(rig, .closedWhileMuted, isOpen: false)
    }
  }

  @Test func aTestOpensItForItsTime() async throws {
    try await run { rig in
      _ = try await rig.local.setMute("", muted: true)
      try await expect(rig, .closedWhileMuted, isOpen: false)
      let result: Anechoic_V1_TestAudioResponse = try await rig.ask(
        RPC.testAudio, Anechoic_V1_TestAudioRequest())
      #expect(result.levelDbfs > -100)
      try await expect(rig, .closedWhileMuted, isOpen: false)
      #expect(rig.microphone.openCount == 2)
    }
  }

  @Test func theConfigurationMayKeepItOpen() async throws {
    try await run {
      $0.configuration.microphone.open = .always
    } _: { rig in
      _ = try await rig.local.setMute("", muted: true)
      try await expect(rig, .always, isOpen: true, isLit: false)
    }
  }

  /// Nothing is sent whose end the request could wait for.
  @Test func betweenCallsAnOpenMicrophoneIsUnmutedAtOnce() async throws {
    try await run {
      $0.configuration.microphone.open = .always
      $0.configuration.calls.begin = .request
    } _: { rig in
      _ = try await rig.local.setMute("", muted: true)
      try await eventually("the microphone is open") { rig.microphone.isOpen }
      let answer = try await rig.local.setMute("", muted: false)
      #expect(!answer.state.muted)
    }
  }
}
