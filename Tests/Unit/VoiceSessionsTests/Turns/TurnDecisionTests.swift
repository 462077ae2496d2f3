import Testing

@testable import VoiceSessions

/// The rules of turns, from scores that are written as letters: `s` speech, `u` speech in which the
/// session finds no voice, `b` backchannel, `n` no speech, `.` silence, `e` silence in which the
/// turn has surely ended, `m` in which it may have. A far end talks where it has an `f`.
struct TurnDecisionTests {
  private typealias Event = TurnDecisions.Event

  private static var configuration: SessionConfiguration.Turns {
    var configuration = SessionConfiguration.Turns()
    configuration.endProbability = 0.5
    configuration.longestPause = .seconds(2)
    return configuration
  }

  @Test func aVoiceStartsATurnWithin50MillisecondsWhileTheFarEndIsSilent() {
    let events = events("..ssss")
    #expect(events.map(\.frame) == [4])
    #expect(events.first?.event == .started(atFrame: 2, probability: 1, interrupts: false))
  }

  @Test func aSingleFrameOfVoiceStartsNoTurn() {
    #expect(events("..s.............s..............").isEmpty)
  }

  @Test func aSureEndEndsATurnAndSilenceDoesNot() {
    let events = events("ssss" + silence(50) + "eee")
    #expect(events.last?.event == .ended(silentFrom: 4, probability: 1))
    #expect(events.last?.frame == 54)
  }

  @Test func anEndIsNeverSureInTheFirst80Milliseconds() {
    #expect(events("sssseeeeeeeeeeee").last?.frame == 11)
  }

  @Test func theLongestPauseEndsATurn() {
    let events = events("ssss" + silence(300))
    #expect(events.last?.event == .ended(silentFrom: 4, probability: 0))
    #expect(events.last?.frame == 203)
  }

  @Test func aTurnThatMayHaveEndedContinuesOrEnds() {
    let goesOn = events("ssss" + String(repeating: "m", count: 20) + "ssss")
    #expect(
      goesOn.map(\.event).dropFirst() == [
        .mayEnd(silentFrom: 4, probability: 0.3), .continued(atFrame: 24),
      ])
    let ends = events("ssss" + String(repeating: "m", count: 20) + "e")
    #expect(ends.last?.event == .ended(silentFrom: 4, probability: 1))
  }

  @Test func aTurnSoonAfterAnotherHasABeginningOfItsOwn() {
    let events = events("ssss" + String(repeating: "e", count: 12) + "ssss")
    #expect(
      events.map(\.event).dropFirst() == [
        .ended(silentFrom: 4, probability: 1),
        .started(atFrame: 16, probability: 1, interrupts: false),
      ])
  }

  @Test func aLowerEndProbabilityEndsSooner() {
    var configuration = Self.configuration
    configuration.endProbability = 0.3
    let events = events("ssss" + String(repeating: "m", count: 20), configuration)
    #expect(events.last?.event == .ended(silentFrom: 4, probability: 0.3))
  }

  @Test func speechWhileTheFarEndTalksInterruptsItWithin100Milliseconds() {
    let events = events("..ssssssssss", farEndTalks: true)
    guard case .started(atFrame: 2, let probability, interrupts: true) = events.first?.event else {
      Issue.record("\(events)")
      return
    }
    #expect((0.6...1).contains(probability))
    #expect((events.first?.frame ?? 99) <= 12)
  }

  @Test func aTurnInAPauseOfTheFarEndInterruptsWhenTheFarEndGoesOn() {
    let events = events(
      silence(10) + String(repeating: "s", count: 30),
      farEnd: "ffff" + silence(10) + String(repeating: "f", count: 26))
    #expect(events.first?.event == .started(atFrame: 10, probability: 1, interrupts: false))
    guard case .interrupts(atFrame: 10, let probability) = events.last?.event else {
      Issue.record("\(events)")
      return
    }
    #expect((0.6...1).contains(probability))
    #expect(events.map(\.frame) == [12, 28])
  }

  @Test func onlySpeechThatGoesOnInterruptsAFarEndThatGoesOn() {
    let far = "ffff" + silence(10) + String(repeating: "f", count: 30)
    #expect(events(silence(10) + "bbbbbbbbbbbbbb", farEnd: far).count == 1)
    #expect(events(silence(10) + "sss" + silence(8), farEnd: far).count == 1)
    // A short answer sounds as speech in the pause, and ends soon after it.
    #expect(events(silence(10) + "ssssssssbbbbbbbbbb", farEnd: far).count == 1)
    #expect(events(silence(10) + "sssssssssssss" + silence(8), farEnd: far).count == 1)
  }

  @Test func aFarEndThatBeginsBesideATurnIsNotInterrupted() {
    let talks = String(repeating: "s", count: 400)
    #expect(events(talks, farEnd: silence(100) + String(repeating: "f", count: 300)).count == 1)
    let late = "ffff" + silence(350) + String(repeating: "f", count: 40)
    #expect(events(silence(10) + talks, farEnd: late).count == 1)
  }

  @Test func aBackchannelIsAnnouncedWhenItHasEndedAndStartsNoTurn() {
    let events = events("..bbbbbbbbb" + silence(30), farEndTalks: true)
    #expect(events.map(\.event) == [.backchannel(atFrame: 2, probability: 1)])
  }

  @Test func aBackchannelIsATurnWhileTheFarEndIsSilent() {
    #expect(
      events("..bbbbbbbbb").map(\.event) == [
        .started(atFrame: 2, probability: 1, interrupts: false)
      ])
  }

  @Test(arguments: [false, true])
  func aCoughIsNoSpeechAndStartsNoTurn(farEndTalks: Bool) {
    let events = events("..nnnnnnnn" + silence(30), farEndTalks: farEndTalks)
    #expect(events.map(\.event) == [.notSpeech(atFrame: 2, probability: 1)])
  }

  @Test func aTurnThatProvesToBeNoSpeechIsWithdrawn() {
    let events = events("..sssnnnnnnnnn" + silence(300))
    #expect(
      events.map(\.event).first == .started(atFrame: 2, probability: 1, interrupts: false))
    guard case .notSpeech(atFrame: 2, _) = events.last?.event else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 2)
  }

  @Test func aVoiceThatBeganAsASoundInDoubtIsNotWithdrawn() {
    let events = events("..nnnn" + String(repeating: "s", count: 40))
    guard case .started(atFrame: 2, _, interrupts: false) = events.first?.event else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 1)
    #expect((events.first?.frame ?? 99) <= 12)
  }

  @Test func aCoughInATurnDoesNotEndIt() {
    let events = events(String(repeating: "s", count: 40) + "....nnnnnnnn....ssss")
    #expect(events.count == 1)
  }

  /// Music sounds like speech.
  @Test func aTurnWithoutAVoiceIsWithdrawnAndTheNextOneNeedsAVoice() {
    let music = String(repeating: "u", count: 300)
    let alone = events(".." + music + silence(300))
    #expect(
      alone.map(\.event) == [
        .started(atFrame: 2, probability: 1, interrupts: false),
        .notSpeech(atFrame: 2, probability: 1),
      ])
    #expect(alone.map(\.frame) == [4, 34])
    #expect(events(music + silence(50) + music).count == 2)
    let beside = music + silence(50)
    let farEnd = silence(350) + String(repeating: "f", count: 40)
    #expect(events(beside + String(repeating: "u", count: 40), farEnd: farEnd).count == 2)
    #expect(events(beside + String(repeating: "s", count: 40), farEnd: farEnd).count == 3)
    let withVoice = events(music + silence(50) + "ssss" + silence(300))
    #expect(withVoice.count == 4 && withVoice[2].frame == 352)
    // The music goes on to the voice, which is a sound of its own.
    let after = events(String(repeating: "u", count: 3000) + "ssss" + silence(300))
    guard after.count == 4, case .started(let begin, _, _) = after[2].event else {
      Issue.record("\(after)")
      return
    }
    #expect((2980...3000).contains(begin))
  }

  @Test func aVoiceThatIsFoundLaterConfirmsATurn() {
    let events = events("uuu" + String(repeating: "u", count: 25) + "ssss" + silence(300))
    #expect(events.map(\.frame) == [2, 231])
    #expect(events.last?.event == .ended(silentFrom: 32, probability: 0))
  }

  @Test func musicDoesNotKeepATurnAfterTheVoice() {
    let events = events(String(repeating: "s", count: 50) + String(repeating: "u", count: 400))
    #expect(events.last?.event == .ended(silentFrom: 80, probability: 0))
    #expect(events.last?.frame == 279)
  }

  private func silence(_ count: Int) -> String { String(repeating: ".", count: count) }

  private func events(
    _ scores: String, _ configuration: SessionConfiguration.Turns = configuration,
    farEndTalks: Bool = false, farEnd: String = ""
  ) -> [(frame: Int, event: Event)] {
    var decisions = TurnDecisions(configuration, frame: 0)
    let farEnd = Array(farEnd)
    return scores.enumerated().compactMap { frame, letter in
      let scores = TurnScores(
        speech: "su".contains(letter) ? 1 : 0, backchannel: letter == "b" ? 1 : 0,
        notSpeech: letter == "n" ? 1 : 0, end: letter == "e" ? 1 : letter == "m" ? 0.3 : 0)
      let talks = farEnd.indices.contains(frame) ? farEnd[frame] == "f" : farEndTalks
      let event = decisions.process(
        scores, farEndTalks: talks, hasVoice: "sb".contains(letter))
      return event.map { (frame, $0) }
    }
  }
}
