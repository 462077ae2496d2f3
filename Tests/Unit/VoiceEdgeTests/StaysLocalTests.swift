import AnechoicAPI
import Foundation
import ScriptedDevices
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// The sound of a muted microphone does not leave the machine.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct StaysLocalTests {
  @Test func nothingLeavesAndTheMutedTalkerIsHeardAllTheSame() async throws {
    try await AgentRig.run { setup in
      setup.configuration.mute.audio = .staysLocal
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      let events = try await EventLog(rig)
      defer { events.stop() }
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      _ = try await rig.local.setMute("sessions/edge", muted: true)
      try await eventually("the talker is noticed") {
        try await rig.edgeStatus().mutedSpeechActive
      }
      // The server received none of it.
      #expect(!events.all.contains { $0.mutedSpeechActivity.activity != .unspecified })
      #expect(try await !rig.remote.get("sessions/edge").mutedSpeechActive)
      tap.clear()
      try await eventually("silence is recorded") { tap.count > 8000 }
      #expect(tap.samples.suffix(4000).allSatisfy { $0 == 0 })
      _ = try await rig.local.setMute("sessions/edge", muted: false)
      try await eventually("the gap is told") {
        events.all.contains { $0.discontinuity.reason == .muted }
      }
      try await eventually("voice again") { tap.samples.suffix(4000).contains { $0 != 0 } }
      let gaps = events.all.filter { $0.discontinuity.reason == .muted }
      #expect(gaps.count == 1 && gaps[0].discontinuity.missingSamples > 8000)
      #expect(try await !rig.edgeStatus().mutedSpeechActive)
    }
  }

  @Test func muteThatIsSentLeavesItToTheServer() async throws {
    try await AgentRig.run {
      $0.configuration.mute.audio = .sent
    } _: { rig in
      let events = try await EventLog(rig)
      defer { events.stop() }
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      _ = try await rig.local.setMute("sessions/edge", muted: true)
      try await eventually("the server notices the talker") {
        events.all.contains { $0.mutedSpeechActivity.activity == .started }
      }
      try await eventually("and the agent says so") {
        try await rig.edgeStatus().mutedSpeechActive
      }
      #expect(!events.all.contains { $0.discontinuity.reason == .muted })
    }
  }
}
