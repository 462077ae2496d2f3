import AnechoicAPI
import EdgeAudio
import Foundation
import SwiftProtobuf
import Synchronization
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// The streams of other programs beside an agent.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct OtherProgramsTests {
  private let servers = ScriptedStreams()
  private static let music: [UInt32] = [65536, 50000]

  init() {
    servers.state.withLock {
      $0.streams = [
        ProgramStream(
          index: 1, identity: "music", role: "music", process: 1, volume: Self.music),
        ProgramStream(
          index: 2, identity: "bell", role: "event", process: 1, volume: Self.music),
      ]
    }
  }

  private func run(
    _ change: (inout AgentRig.Setup) throws -> Void = { _ in },
    _ body: (AgentRig) async throws -> Void
  ) async throws {
    try await AgentRig.run { setup in
      setup.desktop = servers
      setup.configuration.programs.desktop = .automatic
      setup.configuration.programs.desktopMemory = setup.folder.path("state/streams.json")
      try change(&setup)
    } _: { rig in
      try await body(rig)
    }
  }

  private func eventually(
    gain: Float?, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let volume = gain.map { LoweredStreams.volume(Self.music, $0) } ?? Self.music
    try await TestTime.eventually("\(gain ?? 0) dB", sourceLocation: sourceLocation) {
      servers.volume(1) == volume
    }
    #expect(servers.volume(2) == Self.music, sourceLocation: sourceLocation)
  }

  @Test func theLevelOfTheSessionLowersThem() async throws {
    try await run { setup in
      setup.configuration.session.configuration.otherAudioDucking.level = .mid
    } _: { rig in
      try await eventually(gain: -18)
      try await TestTime.eventually("status") {
        let others = try await rig.edgeStatus().otherPrograms
        return others.connected && others.loweredStreams == 1 && others.gainDb == -18
      }
      var session = Anechoic_V1_Session()
      session.name = "sessions/edge"
      session.config.otherAudioDucking.level = .max
      _ = try await rig.remote.update(session, mask: ["config.other_audio_ducking.level"])
      try await eventually(gain: -30)
    }
    // The agent has ended.
    try await eventually(gain: nil)
  }

  @Test func theVoiceLowersThemMore() async throws {
    try await run { setup in
      setup.configuration.session.configuration.otherAudioDucking.level = .mid
      setup.configuration.session.configuration.otherAudioDucking.advancedDuckingEnabled = true
      // Somebody talks for some seconds.
      let end = MonotonicClock.now.seconds + 6
      let speech = setup.microphone
      setup.microphone = { $0 < end ? speech($0) : 0 }
    } _: { _ in
      try await eventually(gain: -18)
      try await eventually(gain: -6)
    }
    try await eventually(gain: nil)
  }

  @Test func withoutASessionTheyAreRestored() async throws {
    try await run { setup in
      setup.configuration.fallback = .silence
    } _: { rig in
      try await eventually(gain: -12)
      await rig.stopServer()
      try await eventually(gain: nil)
    }
  }

  @Test func theLocalSessionLowersThem() async throws {
    try await run { setup in
      setup.hasServer = false
      setup.configuration.session.configuration.otherAudioDucking.level = .min
    } _: { _ in
      try await eventually(gain: -4)
    }
  }

  @Test func whatAKilledAgentHasLoweredIsRestored() async throws {
    try await run { setup in
      setup.hasServer = false
      setup.configuration.fallback = .silence
      var killed = LoweredStreams(ownProcess: 5)
      let changes = killed.changes(servers.state.withLock { $0.streams }, gain: -30)
      servers.state.withLock { $0.streams[0].volume = changes[0].volume }
      let file = RememberedFile<LoweredStreams.Entry>(
        setup.folder.path("state/streams.json"), "")
      try file.write(killed.memory)
    } _: { rig in
      try await eventually(gain: nil)
      try await TestTime.eventually("forgotten") {
        try RememberedFile<LoweredStreams.Entry>(
          rig.folder.path("state/streams.json"), ""
        ).read().isEmpty
      }
    }
  }

  @Test func aServerThatGoesAndComesIsUsedAgain() async throws {
    try await run { rig in
      try await eventually(gain: -12)
      servers.state.withLock { $0.isAway = true }
      try await TestTime.eventually("told") {
        let others = try await rig.edgeStatus().otherPrograms
        return !others.connected && others.problem == "nobody is there"
      }
      #expect(rig.log.contain("other programs: nobody is there; trying again"))
      servers.state.withLock { $0.isAway = false }
      try await TestTime.eventually("back") {
        try await rig.edgeStatus().otherPrograms.connected
      }
      try await eventually(gain: -12)
    }
    try await eventually(gain: nil)
  }

  @Test(arguments: ["", "{}", "[1]", "{\"entries\":[{\"index\":-1}]}"])
  func aFileThatIsNotValidIsIgnored(text: String) async throws {
    try await run { setup in
      try FileManager.default.createDirectory(
        atPath: setup.folder.path("state"), withIntermediateDirectories: true)
      try setup.folder.write(text, "state/streams.json")
    } _: { rig in
      try await eventually(gain: -12)
      #expect(rig.log.contain("streams.json is not valid and is ignored"))
    }
  }
}
