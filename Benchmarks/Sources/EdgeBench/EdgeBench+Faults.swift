internal import AnechoicAPI
internal import EdgeRig
internal import Foundation
internal import SoundRig
internal import SwiftProtobuf

/// A fault of a device or of the server.
struct BenchFault: Sendable {
  let name: String
  /// Causes the fault. Returns when the cause has ended.
  let strike: @Sendable (RunningEdge, SoundRig) async throws -> Void
}

extension EdgeBench {
  /// Prints the effect of each fault on a running call in which the far end talks all the time.
  func faults() async throws {
    print("\n### Faults, from their cause's end\n")
    print(
      "| fault | sound runs again | gap told by the server | echo 20 dB down again "
        + "| the room's own jumps |")
    print("|---|---|---|---|---|")
    for fault in Self.faults {
      try await withCall { edge, rig, room in
        edge.farEnd.play(voices.farEnd, isRepeated: true)
        try await sleep(6)
        let echoLevel = try await echoLevel(rig)
        let before = try await edge.status().flow
        try await fault.strike(edge, rig)
        let end = ContinuousClock.now
        let back = await edge.wait { $0.runs }
        try await sleep(12)
        let gap = try await edge.status().flow.gapSamples - before.gapSamples
        let sessions = try await edge.status().flow.sessions - before.sessions
        let told = sessions > 0 ? "new session" : "\(gap * 1000 / UInt64(Self.rate)) ms"
        print(
          "| \(fault.name) | \(Self.milliseconds(back)) | \(told) "
            + "| \(Self.milliseconds(echoGone(edge, since: end, below: echoLevel - 20))) "
            + "| \(room.jumps.map { Self.milliseconds($0) }.joined(separator: ", ")) |")
      }
    }
  }

  /// Returns the level at the microphone while the far end talks.
  private func echoLevel(_ rig: SoundRig) async throws -> Double {
    let microphone = try rig.record(from: "micbus.monitor")
    try await sleep(2)
    return Loudness.level(microphone.stop())
  }

  /// Returns the last time at which the voice is louder than a level, in windows of 250 ms.
  private func echoGone(
    _ edge: RunningEdge, since start: ContinuousClock.Instant, below limit: Double
  ) -> Duration? {
    let samples = Array(edge.voice.samples[edge.voice.count(at: start)...])
    let levels = Loudness.levels(samples, of: Self.rate / 4)
    guard let last = levels.lastIndex(where: { $0 > limit }) else { return .zero }
    return last + 1 == levels.count ? nil : .milliseconds(250 * (last + 1))
  }

  private static let faults = [
    BenchFault(name: "agent stopped 400 ms") { edge, _ in
      kill(edge.agentIdentifier, SIGSTOP)
      try await Task.sleep(for: .milliseconds(400))
      kill(edge.agentIdentifier, SIGCONT)
    },
    BenchFault(name: "sound server stopped 1 s") { _, rig in
      rig.suspendDaemon()
      try await Task.sleep(for: .seconds(1))
      rig.resumeDaemon()
    },
    BenchFault(name: "sound server killed for 2 s") { _, rig in
      rig.killDaemon()
      try await Task.sleep(for: .seconds(2))
      try rig.restartDaemon()
    },
    BenchFault(name: "loudspeaker suspended 2 s") { _, rig in
      try rig.suspend(sink: "spk")
      try await Task.sleep(for: .seconds(2))
      try rig.wake(sink: "spk")
    },
    BenchFault(name: "microphone suspended 2 s") { _, rig in
      try rig.suspend(sink: "micbus")
      try await Task.sleep(for: .seconds(2))
      try rig.wake(sink: "micbus")
    },
    BenchFault(name: "loudspeaker unloaded 3 s") { _, rig in
      try rig.unload("spk")
      try await Task.sleep(for: .seconds(3))
      try rig.load("spk")
    },
    BenchFault(name: "microphone muted 2 s by the mixer") { _, rig in
      try rig.setMute(source: "micbus.monitor", true)
      try await Task.sleep(for: .seconds(2))
      try rig.setMute(source: "micbus.monitor", false)
    },
    BenchFault(name: "Anechoic's server killed for 2 s") { edge, _ in
      edge.killServer()
      try await Task.sleep(for: .seconds(2))
      edge.startServer()
    },
  ]
}
