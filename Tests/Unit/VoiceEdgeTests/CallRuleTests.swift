import Testing

@testable import VoiceEdge

/// The rule that decides when a call begins and ends.
struct CallRuleTests {
  private static let millisecond: Int64 = 1_000_000

  private func rule(
    _ begin: EdgeConfiguration.Calls.Begin = .automatic, seesPrograms: Bool = true
  ) -> CallRule {
    CallRule(begin: begin, seesPrograms: seesPrograms)
  }

  /// Returns the signs after each step: the time in ms, and the signs that are seen then.
  private func signs(_ rule: CallRule, _ steps: [(Int64, CallSigns)]) -> [CallSigns] {
    var rule = rule
    return steps.map { time, seen in
      _ = rule.update(seen, now: time * Self.millisecond)
      return rule.signs
    }
  }

  @Test func eachSignBeginsACallAndEndsIt() {
    for sign: CallSigns in [.farEnd, .recording, .request] {
      #expect(signs(rule(), [(0, []), (10, sign), (20, [])]) == [[], sign, []])
    }
  }

  @Test func aShortPauseOfTheReaderIsNoEnd() {
    let steps: [(Int64, CallSigns)] = [
      (0, .voiceRead), (10, []), (150, []), (155, .voiceRead), (304, []), (305, []),
    ]
    let read: CallSigns = .voiceRead
    #expect(signs(rule(), steps) == [read, read, [], read, read, []])
  }

  @Test func theLastProgramEndsTheCallWhateverStillSounds() {
    let steps: [(Int64, CallSigns)] = [
      (0, .farEnd), (10, [.farEnd, .request]), (20, .farEnd), (30, .farEnd),
      // The far end has been silent, and begins another call.
      (40, []), (50, .farEnd),
    ]
    #expect(signs(rule(), steps) == [.farEnd, [.farEnd, .request], [], [], [], .farEnd])
  }

  @Test func aProgramThatReturnsDoesNotWaitForSilence() {
    let steps: [(Int64, CallSigns)] = [
      (0, [.farEnd, .recording]), (10, .farEnd), (20, [.farEnd, .recording]),
    ]
    #expect(signs(rule(), steps) == [[.farEnd, .recording], [], .recording])
  }

  @Test func whereNobodySeesThePrograms_theCallLasts() {
    let blind = rule(seesPrograms: false)
    #expect(
      signs(blind, [(0, []), (10, .request), (20, .farEnd)])
        == [.unseen, [.unseen, .request], .unseen])
  }

  @Test func theConfigurationDecides() {
    #expect(signs(rule(.always), [(0, []), (10, .farEnd)]) == [.configuration, .configuration])
    let all: CallSigns = [.farEnd, .voiceRead, .recording]
    #expect(signs(rule(.request), [(0, all), (10, all.union(.request))]) == [[], .request])
  }

  @Test func theFarEndIsHeardWhereItMayBeginACall() {
    #expect(rule().hearsFarEnd)
    #expect(!rule(.request).hearsFarEnd && !rule(.always).hearsFarEnd)
    #expect(!rule(seesPrograms: false).hearsFarEnd)
    var over = rule()
    for seen: CallSigns in [[.farEnd, .request], .farEnd] { _ = over.update(seen, now: 0) }
    #expect(!over.isOn && !over.hearsFarEnd)
    _ = over.update([], now: 0)
    #expect(over.hearsFarEnd)
  }

  @Test func onlyChangesAreTold() {
    var rule = rule()
    let steps: [CallSigns] = [[], .request, .request, []]
    let changes = steps.enumerated().map { rule.update($1, now: Int64($0)) }
    #expect(changes == [false, true, false, true])
  }

  @Test func holdersAreCounted() {
    var holders = CallHolders()
    let accepted = [
      holders.begin("ann"), holders.begin("ann"), holders.hold("bob"), holders.hold("bob"),
    ]
    #expect(accepted == [true, true, true, true])
    #expect(holders.names == ["ann", "bob"])
    holders.release("bob")
    #expect(holders.names == ["ann", "bob"])
    holders.release("bob")
    holders.release("bob")
    #expect(holders.names == ["ann"])
    let ended = [holders.end("bob"), holders.end("ann"), holders.end("")]
    #expect(ended == [false, true, true])
    #expect(holders.isEmpty)
  }

  @Test func thereIsALimitOfHolders() {
    var holders = CallHolders()
    let accepted = (0..<CallHolders.most).map { holders.begin("program \($0)") }
    #expect(accepted.allSatisfy { $0 })
    let more = [holders.begin("another"), holders.hold("another")]
    #expect(more == [false, false])
    // One that is there already is no other.
    let again = [holders.begin("program 1"), holders.end("program 1"), holders.hold("another")]
    #expect(again == [true, true, true])
  }
}
