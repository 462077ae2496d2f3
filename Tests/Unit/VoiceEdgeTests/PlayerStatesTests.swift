import Testing

@testable import VoiceEdge

/// The rule that pauses and resumes players.
struct PlayerStatesTests {
  private static let name = "org.mpris.MediaPlayer2.music"
  private static let entry = PlayerStates.Entry(name: name, owner: ":1.1", bus: "b")

  private func playing(paused: [PlayerStates.Entry] = []) throws -> PlayerStates {
    var states = PlayerStates(paused: paused)
    states.connected(bus: "b")
    let version = states.appeared(Self.name, owner: ":1.1")
    states.answered(Self.name, version: try #require(version), .playing)
    return states
  }

  @Test func onlyPlayersThatPlayArePaused() throws {
    var states = try playing()
    let quiet = states.appeared("org.mpris.MediaPlayer2.film", owner: ":1.2")
    states.answered("org.mpris.MediaPlayer2.film", version: try #require(quiet), .paused)
    #expect(states.isPlaying)
    let paused = states.pausePlaying()
    #expect(paused == [Self.entry])
    #expect(states.paused == [Self.entry])
  }

  @Test func anAnswerThatAChangeHasOvertakenDoesNotCount() {
    var states = PlayerStates()
    states.connected(bus: "b")
    let version = states.appeared(Self.name, owner: ":1.1")
    states.changed(owner: ":1.1", .paused)
    states.answered(Self.name, version: version ?? 0, .playing)
    #expect(!states.isPlaying)
  }

  @Test func lateNewsThatAPlayerPlaysDoesNotReleaseIt() throws {
    var states = try playing()
    _ = states.pausePlaying()
    states.changed(owner: ":1.1", .playing)
    #expect(states.paused == [Self.entry])
    states.changed(owner: ":1.1", .paused)
    #expect(states.paused == [Self.entry])
    states.changed(owner: ":1.1", .playing)
    #expect(states.paused == [])
  }

  @Test func aPlayerThatIsAboutToPlayIsPausedAgain() throws {
    let start = ContinuousClock.now
    for (passed, isPaused) in [(Duration.zero, true), (PlayerStates.longestStart, false)] {
      var states = try playing()
      _ = states.pausePlaying(at: start)
      states.changed(owner: ":1.1", .paused)
      states.resume(Self.entry, at: start)
      #expect(states.paused == [])
      #expect(states.pausePlaying(at: start + passed) == (isPaused ? [Self.entry] : []))
      // The late news of the first call.
      states.changed(owner: ":1.1", .playing)
      #expect(states.paused == (isPaused ? [Self.entry] : []))
    }
  }

  @Test(arguments: [PlayerStates.Playback.playing, .stopped])
  func aPlayerThatHasAnsweredIsNoLongerAboutToPlay(_ playback: PlayerStates.Playback) throws {
    var states = try playing()
    _ = states.pausePlaying()
    states.resume(Self.entry)
    states.changed(owner: ":1.1", playback)
    // The person pauses it.
    states.changed(owner: ":1.1", .paused)
    #expect(states.pausePlaying() == [])
  }

  @Test func aPlayerThatIsStartedAnewIsForgotten() throws {
    var states = try playing()
    _ = states.pausePlaying()
    _ = states.appeared(Self.name, owner: "")
    #expect(states.paused == [])
    #expect(!states.isPlaying)
  }

  @Test func playersOfAnotherBusAreForgotten() throws {
    let other = PlayerStates.Entry(name: Self.name, owner: ":1.1", bus: "before")
    let states = try playing(paused: [other, Self.entry])
    #expect(states.paused == [Self.entry])
  }

  @Test func thereIsALimitOfPlayers() {
    var states = PlayerStates()
    states.connected(bus: "b")
    for index in 0..<PlayerStates.most {
      #expect(states.appeared("org.mpris.MediaPlayer2.p\(index)", owner: ":1.\(index)") != nil)
    }
    #expect(states.appeared(Self.name, owner: ":2.1") == nil)
  }
}
