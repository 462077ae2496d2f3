internal import AnechoicAPI
internal import EdgeRig
internal import Foundation
internal import SoundRig
internal import SwiftProtobuf

/// The tables, and what they share.
struct EdgeBench {
  static let rate = 48000

  let products: URL
  let voices: Voices

  /// Runs `body` in a connected call, and ends the call.
  func withCall(
    captureClock: Double = 1,
    _ body: (RunningEdge, SoundRig, RoomSimulator) async throws -> Void
  ) async throws {
    let rig = try SoundRig(captureClock: captureClock)
    defer { rig.stop() }
    let room = try RoomSimulator(rig)
    defer { room.stop() }
    let edge = try RunningEdge(rig, products: products)
    defer { edge.stop() }
    guard await edge.wait(until: { $0.runs }) != nil else {
      print("the agent does not run:\n\(edge.agentLog)")
      exit(1)
    }
    try await body(edge, rig, room)
  }

  func sleep(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }

  static func rounded(_ value: Double) -> String { String(format: "%.1f", value) }

  static func milliseconds(_ time: Duration?) -> String {
    time.map { String(format: "%.0f ms", $0 / .milliseconds(1)) } ?? "never"
  }
}
