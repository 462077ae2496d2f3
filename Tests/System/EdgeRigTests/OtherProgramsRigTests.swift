import AnechoicAPI
import EdgeRig
import Foundation
import SoundRig
import TestAudio
import Testing

/// Other programs that play to the rig's PulseAudio while the agent lowers them.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct OtherProgramsRigTests {
  private static let tone = Signals.noise(48000 * 60, amplitude: 0.1, seed: 4)

  private func call(_ rig: SoundRig, _ memory: String) async throws -> Call {
    try await Call(
      rig: rig,
      configuration: """
        session: {config: {other_audio_ducking: {level: LEVEL_MID}}}
        programs: {desktop: "\(rig.serverAddress(of: "spk"))", desktop_memory: "\(memory)"}
        fallback: silence
        """)
  }

  private func volume(_ rig: SoundRig, _ role: String) throws -> [Int] {
    try rig.streams(of: "spk").first { $0.role == role }?.volume ?? []
  }

  private func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while try !condition() {
      try #require(ContinuousClock.now < end, "\(what)", sourceLocation: sourceLocation)
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  @Test func theyAreLoweredAndRestoredExactlyEvenAfterACrash() async throws {
    let rig = try SoundRig()
    let memory = FileManager.default.temporaryDirectory
      .appending(path: "streams-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: memory) }
    let music = try rig.play(Self.tone, into: "spk2", role: "music")
    let bell = try rig.play(Self.tone, into: "spk2", role: "event")
    defer {
      music.stop()
      bell.stop()
    }
    try await eventually("both play") {
      try !volume(rig, "music").isEmpty && !volume(rig, "event").isEmpty
    }
    let played = try rig.streams(of: "spk")
    let stream = try #require(played.first { $0.role == "music" }?.index)
    try rig.setVolume(stream: stream, of: "spk", 51234)
    let (original, events) = (try volume(rig, "music"), try volume(rig, "event"))
    let lowered = original.map { Int((Double($0) * pow(10, -18.0 / 60)).rounded()) }

    let call = try await call(rig, memory)
    let own = try rig.streams(of: "spk").filter { $0.process == call.edge.agentIdentifier }
    #expect(!own.isEmpty)
    try await eventually("lowered by 18 dB") { try volume(rig, "music") == lowered }
    #expect(try volume(rig, "event") == events)
    let now = try rig.streams(of: "spk").filter { $0.process == call.edge.agentIdentifier }
    #expect(now == own)
    #expect(await call.edge.wait { $0.otherPrograms.loweredStreams >= 1 } != nil)

    // A crash leaves it lowered. The next start restores it, because there is no session any more.
    call.edge.endAgent(SIGKILL)
    #expect(try volume(rig, "music") == lowered)
    call.edge.killServer()
    try call.edge.startAgent()
    try await eventually("restored after the crash") { try volume(rig, "music") == original }

    // The next session lowers it again, and the end of the agent restores it.
    call.edge.startServer()
    try await eventually("lowered again") { try volume(rig, "music") == lowered }
    call.edge.endAgent()
    #expect(try volume(rig, "music") == original)
    #expect(try volume(rig, "event") == events)
  }
}
