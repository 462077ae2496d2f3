@testable import VoiceEdge
import Foundation
import Testing
import TestTime

/// Media players beside a call. The bus is real, and the players have the interface of real ones
/// (`Tests/Support/BusPrograms/player.py`).
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MediaPlayersTests {
  private let folder: Folder
  private let log = Lines()

  init() throws { folder = try Folder() }

  private var file: RememberedFile<PlayerStates.Entry> {
    RememberedFile(folder.path("state/players.json"), "")
  }

  /// Runs `body` beside players that are followed.
  private func follow(
    _ bus: PrivateBus, _ body: (MediaPlayers) async throws -> Void
  ) async throws {
    let players = MediaPlayers(bus.address, file: file, log: log.add)
    let work = Task { await players.run() }
    do {
      try await body(players)
    } catch {
      work.cancel()
      throw error
    }
    work.cancel()
    await work.value
  }

  @Test func aPlayerIsPausedAndResumed() async throws {
    let bus = try await PrivateBus(folder)
    let music = try await TestPlayer(bus, "music", "Playing")
    let film = try await TestPlayer(bus, "film", "Paused")
    try await follow(bus) { players in
      try await eventually("plays") { await players.isPlaying }
      await players.pause(for: .session)
      #expect(try await music.status == "Paused")
      try await eventually("quiet") { await !players.isPlaying }
      #expect(try file.read().map(\.name) == [music.name])
      await players.resume(for: .session)
      #expect(try await music.status == "Playing")
      #expect(try file.read().isEmpty)
      #expect(try await film.calls == 0)
    }
  }

  /// The player tells that it plays only after the second call has begun.
  @Test func aSlowPlayerIsPausedForACallThatBeginsRightAfterAnother() async throws {
    let bus = try await PrivateBus(folder)
    let music = try await TestPlayer(bus, "music", "Playing", manner: "slow")
    try await follow(bus) { players in
      try await eventually("plays") { await players.isPlaying }
      await players.pause(for: .session)
      try await eventually("quiet") { await !players.isPlaying }
      await players.resume(for: .session)
      await players.pause(for: .session)
      #expect(try file.read().map(\.name) == [music.name])
      #expect(try await music.calls == 3)
      #expect(try await music.status == "Paused")
      await players.resume(for: .session)
      try await eventually("goes on") { try await music.status == "Playing" }
    }
  }

  @Test func aPlayerIsPausedAsLongAsThereIsAReason() async throws {
    let bus = try await PrivateBus(folder)
    let music = try await TestPlayer(bus, "music", "Playing")
    try await follow(bus) { players in
      try await eventually("plays") { await players.isPlaying }
      await players.pause(for: .session)
      await players.pause(for: .arbiter)
      try await eventually("paused") { try await music.status == "Paused" }
      await players.resume(for: .session)
      #expect(try await music.status == "Paused")
      await players.resume(for: .arbiter)
      try await eventually("goes on") { try await music.status == "Playing" }
    }
  }

  @Test func aCallPausesWhatHasBegunSinceTheArbiterHasPaused() async throws {
    let bus = try await PrivateBus(folder)
    let music = try await TestPlayer(bus, "music", "Paused")
    try await follow(bus) { players in
      try await eventually("known") { log.contain("the bus answers") }
      await players.pause(for: .arbiter)
      try await music.press("Play")
      try await eventually("plays") { await players.isPlaying }
      await players.pause(for: .session)
      #expect(try await music.status == "Paused")
      await players.resume(for: .arbiter)
      #expect(try await music.status == "Paused")
      await players.resume(for: .session)
      #expect(try await music.status == "Playing")
    }
  }

  @Test func thePersonsLastWordCounts() async throws {
    let bus = try await PrivateBus(folder)
    let stopped = try await TestPlayer(bus, "stopped", "Playing")
    let used = try await TestPlayer(bus, "used", "Playing")
    try await follow(bus) { players in
      try await eventually("plays") { await players.isPlaying }
      await players.pause(for: .session)
      try await eventually("told") { await !players.isPlaying }
      try await stopped.press("Stop")
      try await used.press("Play")
      try await eventually("told") { await players.isPlaying }
      try await used.press("Pause")
      try await eventually("told") { await !players.isPlaying }
      await players.resume(for: .session)
      #expect(try await stopped.status == "Stopped")
      #expect(try await used.status == "Paused")
    }
  }

  @Test func aPlayerThatNeverAnswersHoldsUpNobody() async throws {
    let bus = try await PrivateBus(folder)
    _ = try await TestPlayer(bus, "silent", "Playing", manner: "silent")
    let music = try await TestPlayer(bus, "music", "Playing")
    try await follow(bus) { players in
      try await eventually("plays") { await players.isPlaying }
      await players.pause(for: .session)
      try await eventually("paused") { try await music.status == "Paused" }
      await players.resume(for: .session)
      #expect(try await music.status == "Playing")
    }
  }

  @Test func playersComeAndGo() async throws {
    let bus = try await PrivateBus(folder)
    try await follow(bus) { players in
      let music = try await TestPlayer(bus, "music", "Playing")
      try await eventually("plays") { await players.isPlaying }
      await players.pause(for: .session)
      #expect(try file.read().count == 1)
      music.end()
      try await eventually("forgotten") { await players.pausedCount == 0 }
      // Another program with the same name was not paused here.
      let next = try await TestPlayer(bus, "music", "Paused")
      await players.resume(for: .session)
      #expect(try await next.calls == 0)
    }
  }

  @Test func aBusThatGoesAndComesIsUsedAgain() async throws {
    let bus = try await PrivateBus(folder)
    _ = try await TestPlayer(bus, "music", "Playing")
    try await follow(bus) { players in
      try await eventually("plays") { await players.isPlaying }
      bus.stop()
      try await eventually("gone") { await !players.isPlaying }
      try await eventually("said") {
        log.contain("media players: the connection to the bus was lost; trying again")
      }
      try await bus.start()
      _ = try await TestPlayer(bus, "music", "Playing")
      try await eventually("plays") { await players.isPlaying }
    }
  }

  @Test func whatAKilledAgentHasPausedIsResumed() async throws {
    let bus = try await PrivateBus(folder)
    let music = try await TestPlayer(bus, "music", "Playing")
    try await follow(bus) { killed in
      try await eventually("plays") { await killed.isPlaying }
      await killed.pause(for: .session)
    }
    #expect(try await music.status == "Paused")
    try await follow(bus) { players in
      // A call goes on, so the player stays paused.
      await players.pause(for: .session)
      try await eventually("known") { log.all.count { $0.contains("the bus answers") } == 2 }
      #expect(try await music.status == "Paused")
      await players.resume(for: .session)
      #expect(try await music.status == "Playing")
    }
    #expect(try file.read().isEmpty)
  }

  @Test func theAgentPausesPlayersDuringASession() async throws {
    let bus = try await PrivateBus(folder)
    let music = try await TestPlayer(bus, "music", "Playing")
    try await AgentRig.run { setup in
      setup.configuration.fallback = .silence
      setup.configuration.programs.media = .pause
      setup.configuration.programs.mediaMemory = file.path
      setup.configuration.programs.sessionBus = bus.address.text
    } _: { rig in
      try await eventually("paused") { try await music.status == "Paused" }
      await rig.stopServer()
      try await eventually("resumed") { try await music.status == "Playing" }
      try rig.startServer()
      try await eventually("paused") { try await music.status == "Paused" }
    }
    #expect(try await music.status == "Playing")
  }

  @Test func anAgentWithoutABusWorks() async throws {
    try await AgentRig.run { setup in
      setup.configuration.programs.media = .pause
      setup.configuration.programs.mediaMemory = file.path
      setup.configuration.programs.sessionBus = "unix:path=\(folder.path("none"))"
    } _: { rig in
      try await eventually("told") { rig.log.contain("media players: ") }
      #expect(rig.status.isConnected)
    }
  }
}
