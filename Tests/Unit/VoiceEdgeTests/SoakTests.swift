import Foundation
import ScriptedDevices
import Testing
import TestTime

@testable import VoiceEdge

/// Repeated faults: 20 of each, or the number in ANECHOIC_SOAK. Then the measurements are printed.
@Suite(.serialized, .timeLimit(.minutes(90)))
struct SoakTests {
  private static let isLong = ProcessInfo.processInfo.environment["ANECHOIC_SOAK"] != nil
  private static let count =
    ProcessInfo.processInfo.environment["ANECHOIC_SOAK"].flatMap { Int($0) } ?? 20

  /// The number of threads of this process, and its memory in KiB.
  private struct Usage {
    let threads: Int
    let memory: Int

    init() throws {
      threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
      memory = try #require(
        line.split(whereSeparator: \.isWhitespace).dropLast().last.flatMap { Int($0) })
    }
  }

  /// Repeats something, and expects the same usage after the first tenth as at the end.
  private func again(_ body: (_ turn: Int) async throws -> Void) async throws {
    var first: Usage?
    for turn in 0..<Self.count {
      if turn == max(5, Self.count / 10) { first = try Usage() }
      try await body(turn)
    }
    let (before, after) = (try #require(first), try Usage())
    if Self.isLong {
      print(
        "\(Self.count) turns: \(before.threads) and then \(after.threads) threads, "
          + "\(before.memory) and then \(after.memory) KiB")
    }
    #expect(after.threads <= before.threads + 4)
    // The limit is lower than the memory of everything that was played, which scripted devices keep
    // in short runs.
    #expect(after.memory < before.memory + 50_000)
  }

  @Test func devicesThatAreLostAgainAndAgain() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      try await again { turn in
        let opened = (rig.microphone.openCount, rig.loudspeaker.openCount)
        if turn.isMultiple(of: 2) { rig.microphone.lose() } else { rig.loudspeaker.lose() }
        try await eventually("opened anew") {
          rig.microphone.openCount + rig.loudspeaker.openCount > opened.0 + opened.1
        }
        try await rig.running()
        if Self.isLong { rig.loudspeaker.forget() }
      }
      #expect(rig.status.isConnected && rig.status.sessionCount == 1)
      let played = rig.loudspeaker.played.count
      try await eventually("sound") { rig.loudspeaker.played.count > played + 1600 }
    }
  }

  @Test func aServerThatIsRestartedAgainAndAgain() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let opened = (rig.microphone.openCount, rig.loudspeaker.openCount)
      try await again { turn in
        await rig.stopServer()
        try await eventually("away") { !rig.status.isConnected }
        try rig.startServer()
        try await rig.connected()
        #expect(rig.status.sessionCount == turn + 2)
        if Self.isLong { rig.loudspeaker.forget() }
      }
      #expect(rig.microphone.openCount == opened.0 && rig.loudspeaker.openCount == opened.1)
      try await eventually("sound goes through") { rig.status.latency.server > 0 }
    }
  }
}
