import AnechoicAPI
import Foundation
import Synchronization
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// An agent that is unmuted: what was captured before is not heard.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct UnmutedVoiceTests {
  /// The time of the request to unmute, in ns. The microphone is loud before it.
  private final class Moment: Sendable {
    private let time = Atomic<Int64>(.max)
    var nanoseconds: Int64 { time.load(ordering: .relaxed) }
    func isNow() { time.store(MonotonicClock.nanoseconds, ordering: .relaxed) }
  }

  @Test(arguments: [true, false])
  func whatWasCapturedWhileMutedIsNotHeardLater(hasServer: Bool) async throws {
    let moment = Moment()
    try await AgentRig.run { setup in
      setup.hasServer = hasServer
      setup.configuration.fallback = .passThrough
      setup.configuration.session.configuration.voiceProcessing.bypassed = true
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
      setup.microphone = { Int64($0 * 1e9) < moment.nanoseconds ? 0.9 : 0.25 }
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      try await eventually("loud") { tap.samples.contains { $0 > 0.8 } }
      _ = try await rig.local.setMute("", muted: true)
      try await tap.becomesSilent()
      tap.clear()
      moment.isNow()
      _ = try await rig.local.setMute("", muted: false)
      try await eventually("heard") { tap.samples.contains { (0.2...0.3).contains($0) } }
      #expect(!tap.samples.contains { $0 > 0.4 })
    }
  }

  @Test func aMuteThatFollowsAnUnmuteAtOnceCounts() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      _ = try await rig.local.setMute("", muted: true)
      let unmute = Task { try await rig.local.setMute("", muted: false) }
      try await eventually("under way") {
        await rig.agent.voice.ask { !$0.mute.requested.wanted }
      }
      _ = try? await rig.local.setMute("", muted: true)
      _ = try? await unmute.value
      try await eventually("muted there") {
        try await rig.remote.get(rig.status.session).mute.muted
      }
      try await remains("muted", for: .milliseconds(200)) {
        let isMutedThere = try await rig.remote.get(rig.status.session).mute.muted
        return isMutedThere && rig.status.mute.isMuted
      }
    }
  }

  @Test func anUnmuteWhoseCallFailsLateDoesNotOverrideTheMuteAfterIt() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let wanted = await rig.agent.voice.ask { voice in
        let unmute = voice.anticipateMute(false)
        _ = voice.anticipateMute(true)
        _ = voice.repeatMute(unmute, false)
        return voice.mute.requested.wanted
      }
      #expect(wanted)
      let again = await rig.agent.voice.ask { voice in
        let unmute = voice.anticipateMute(false)
        _ = voice.repeatMute(unmute, false)
        return voice.mute.requested.wanted
      }
      #expect(!again)
    }
  }
}
