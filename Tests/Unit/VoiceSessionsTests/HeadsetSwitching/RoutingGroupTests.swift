import Testing

@testable import VoiceSessions

struct RoutingGroupTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private func group(_ machines: String...) throws -> RoutingGroup {
    var group = RoutingGroup()
    for machine in machines {
      _ = try group.register(machine, now: start)
      _ = try group.update(machine, Activity(headsets: ["headset"]), now: start)
    }
    return group
  }

  private func holder(_ group: RoutingGroup) -> String? { group.decisions.first?.holder?.machine }

  @Test func aRefusedClaimIsAnsweredWithTheHolder() throws {
    var group = try group("A", "B")
    _ = try group.update("A", Activity(headsets: ["headset"], playsMedia: true), now: at(1))
    let effects = try group.update(
      "B", Activity(headsets: ["headset"], playsMedia: true), now: at(1))
    #expect(effects.count == 1)
    guard case .decision(let decision, to: "B") = effects.first else {
      Issue.record("no decision for B: \(effects)")
      return
    }
    #expect(decision.holder?.machine == "A")
  }

  @Test func everyChangeHasAHigherGeneration() throws {
    var group = try group("A", "B")
    var last: UInt64 = 0
    for second in 1..<20 {
      let machine = second.isMultiple(of: 2) ? "A" : "B"
      _ = try group.choose(machine, for: "headset", isPinned: false, now: at(Double(second)))
      let generation = try #require(group.decisions.first?.generation)
      #expect(generation > last)
      last = generation
    }
  }

  @Test func nothingHappensWithoutAChange() throws {
    var group = try group("A", "B")
    let activity = Activity(headsets: ["headset"], playsMedia: true)
    _ = try group.update("B", activity, now: at(1))
    #expect(try group.update("B", activity, now: at(2)).isEmpty)
    #expect(group.advance(to: at(100)).isEmpty)
    #expect(group.deadline(after: at(100)) == nil)
  }

  @Test func aNewArbiterLetsTheOldHolderKeepTheHeadset() throws {
    var group = try group("A")
    _ = try group.register("B", held: ["headset"], now: at(1))
    _ = try group.update("B", Activity(headsets: ["headset"]), now: at(1))
    #expect(holder(group) == "B")
    // But not against an active machine.
    var busy = try self.group("A")
    _ = try busy.update("A", Activity(headsets: ["headset"], playsMedia: true), now: at(1))
    _ = try busy.register("B", held: ["headset"], now: at(2))
    _ = try busy.update("B", Activity(headsets: ["headset"]), now: at(2))
    #expect(holder(busy) == "A")
  }

  @Test func aHeadsetThatAnotherMachineGotDoesNotReturnByAnOldDecision() throws {
    var busy = try group("A")
    _ = try busy.update("A", Activity(headsets: ["headset"], playsMedia: true), now: at(1))
    _ = try busy.register("B", held: ["headset"], now: at(2))
    _ = try busy.update("B", Activity(headsets: ["headset"]), now: at(2))
    _ = try busy.update("A", Activity(headsets: ["headset"]), now: at(100))
    _ = busy.advance(to: at(200))
    #expect(holder(busy) == "A")
    // The old holder gets it again, and then is without it.
    var group = try group("A")
    _ = try group.register("B", held: ["headset"], now: at(1))
    _ = try group.update("B", Activity(headsets: ["headset"]), now: at(1))
    _ = try group.update("B", Activity(), now: at(2))
    _ = try group.update("A", Activity(), now: at(3))
    _ = try group.update("A", Activity(headsets: ["headset"]), now: at(100))
    _ = try group.update("B", Activity(headsets: ["headset"]), now: at(101))
    #expect(holder(group) == "A")
  }

  @Test func aNewArbiterWaitsForTheCallBeforeItResumesMedia() throws {
    var group = RoutingGroup()
    _ = try group.register("A", isPaused: true, now: at(0))
    #expect(try group.update("A", Activity(headsets: ["headset"]), now: at(0)).count == 1)
    _ = try group.register("B", now: at(3))
    _ = try group.update("B", Activity(hasOpenMicrophone: true), now: at(3))
    #expect(group.advance(to: at(11)).isEmpty)
    _ = try group.update("B", Activity(), now: at(20))
    #expect(group.advance(to: at(22)) == [.resume(machine: "A")])
  }

  @Test func aPauseThatWasLostWithTheConnectionIsRepeated() throws {
    var group = try group("A", "B")
    _ = try group.update("A", Activity(headsets: ["headset"], playsMedia: true), now: at(1))
    _ = group.lose("A", now: at(2))
    let pause = RoutingGroup.Effect.pause(machine: "A", caller: "B")
    #expect(
      try group.update("B", Activity(hasOpenMicrophone: true), now: at(3)).contains(pause))
    #expect(try group.register("A", now: at(4)).contains(pause))
  }

  @Test func aMachineThatHasPausedItsMediaForItsOwnCallIsAskedAtTheNextCallToo() throws {
    var group = try group("A", "B")
    _ = try group.update("A", Activity(headsets: ["headset"], playsMedia: true), now: at(1))
    let call = Activity(headsets: ["headset"], hasOpenMicrophone: true)
    #expect(
      try group.update("A", call, now: at(2)).contains(.pause(machine: "A", caller: "A")))
    #expect(
      try group.update("B", call, now: at(3)).contains(.pause(machine: "A", caller: "B")))
  }

  @Test func aMachineThatMissedTheResumptionResumesWhenItReturns() throws {
    var group = try group("A")
    #expect(try group.register("A", isPaused: true, now: at(1)) == [.resume(machine: "A")])
  }

  @Test func theLastUsedMachineGetsAFreeHeadset() throws {
    var group = try group("A", "B", "C")
    _ = try group.update(
      "B", Activity(headsets: ["headset"], sinceUserInput: .seconds(1)), now: at(60))
    _ = try group.update(
      "C", Activity(headsets: ["headset"], sinceUserInput: .seconds(30)), now: at(60))
    _ = group.leave("A", now: at(61))
    #expect(holder(group) == "B")
    #expect(group.decisions.first?.holder?.reason == .holderLeft)
  }

  @Test func aChoiceOnTheMachineItselfIsAPin() throws {
    var group = try group("A", "B")
    let chosen = Activity(headsets: ["headset"], chosenHeadsets: ["headset"])
    _ = try group.update("B", chosen, now: at(1))
    #expect(holder(group) == "B")
    #expect(group.decisions.first?.isChosen == true)
    _ = try group.update(
      "A", Activity(headsets: ["headset"], hasOpenMicrophone: true), now: at(2))
    #expect(holder(group) == "B")
    _ = try group.update("B", Activity(headsets: ["headset"]), now: at(3))
    #expect(holder(group) == "A")
  }

  @Test func headsetsAreDecidedOneByOne() throws {
    var group = RoutingGroup()
    _ = try group.register("A", now: at(0))
    _ = try group.register("B", now: at(0))
    _ = try group.update("A", Activity(headsets: ["one", "two"]), now: at(0))
    _ = try group.update("B", Activity(headsets: ["two"], playsMedia: true), now: at(1))
    #expect(group.decisions.map { $0.holder?.machine } == ["A", "B"])
  }

  @Test func limitsBoundAGroup() throws {
    var group = RoutingGroup()
    for number in 0..<RoutingLimits.machinesPerGroup {
      _ = try group.register("m\(number)", now: start)
    }
    #expect(throws: RoutingError.tooManyMachines) { try group.register("more", now: start) }
    let many = Set((0...RoutingLimits.headsetsPerMachine).map { "h\($0)" })
    #expect(throws: RoutingError.tooManyHeadsets) {
      try group.update("m0", Activity(headsets: many), now: start)
    }
    for number in 0..<4 {
      let own = Set((0..<RoutingLimits.headsetsPerMachine).map { "\(number)-\($0)" })
      _ = try group.update("m\(number)", Activity(headsets: own), now: start)
    }
    #expect(throws: RoutingError.tooManyHeadsets) {
      try group.update("m9", Activity(headsets: ["more"]), now: start)
    }
    #expect(throws: RoutingError.unusable("0-0", "m9")) {
      try group.choose("m9", for: "0-0", isPinned: true, now: start)
    }
    #expect(throws: RoutingError.unusable("none", nil)) { try group.release("none", now: start) }
    #expect(throws: RoutingError.unknownMachine("nobody")) {
      try group.update("nobody", Activity(), now: start)
    }
  }
}

struct SoundPresenceTests {
  private let start = ContinuousClock.now

  /// Returns the rule after sound in these ranges of seconds, in steps of 10 ms.
  private func presence(_ sounds: ClosedRange<Double>..., until end: Double) -> SoundPresence {
    var presence = SoundPresence()
    for step in 0...Int(end * 100) {
      let time = Double(step) / 100
      presence.record(
        isSounding: sounds.contains { $0.contains(time) }, now: start + .seconds(time))
    }
    return presence
  }

  @Test func silenceOfMoreThanTwoSecondsEndsMedia() {
    let music = presence(0...10, until: 12)
    #expect(music.isMedia(now: start + .seconds(12)))
    #expect(!music.isMedia(now: start + .seconds(12.1)))
  }

  @Test func aPauseBetweenSongsDoesNotEndMedia() {
    #expect(presence(0...10, 11.5...12, until: 13).isMedia(now: start + .seconds(13)))
  }

  @Test func aNotificationIsNotMedia() {
    let sound = presence(0...1.5, until: 2)
    #expect(sound.isShort(now: start + .seconds(2)))
    #expect(!sound.isMedia(now: start + .seconds(2)))
  }

  @Test func notificationsApartFromEachOtherAreNotMedia() {
    let sounds = presence(0...1, 4...5, 8...9, until: 10)
    #expect(!sounds.isMedia(now: start + .seconds(10)))
  }
}
