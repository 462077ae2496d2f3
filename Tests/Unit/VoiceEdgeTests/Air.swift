import AudioCore
import Foundation
import ScriptedDevices
import Synchronization
import TestAudio

@testable import VoiceEdge

/// The path from loudspeaker to microphone: a delay of 30 ms and a loss.
final class Air: Sendable {
  static let decibels: Float = 20 * log10f(0.35)

  let loudspeaker = Mutex<ScriptedDevice?>(nil)

  func microphone(at time: Double) -> Float {
    // Half a sample prevents the rounding from alternating between two samples.
    0.35 * (loudspeaker.withLock { $0 }?.sound(at: time - 0.03 - 0.5 / 16000) ?? 0)
  }
}

extension AgentRig {
  /// Runs an agent whose microphone hears the far end, babble, through the air. The tap receives
  /// its voice.
  static func runWithEcho(
    _ change: (inout Setup) throws -> Void = { _ in },
    _ body: (AgentRig, FIFOTap) async throws -> Void
  ) async throws {
    let air = Air()
    try await run { setup in
      setup.microphone = { air.microphone(at: $0) }
      setup.configuration.programs.farEnd = .fifo(path: setup.folder.path("far"))
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
      try change(&setup)
    } _: { rig in
      air.loudspeaker.withLock { $0 = rig.loudspeaker }
      let feed = FIFOFeed(
        rig.folder.path("far"), Signals.babble(160_000, rate: .hz16000, amplitude: 0.5, seed: 5))
      let tap = FIFOTap(rig.folder.path("voice"))
      defer {
        feed.stop()
        tap.stop()
      }
      try await body(rig, tap)
    }
  }
}
