import AnechoicAPI
import Settings
import SwiftProtobuf
import Testing

@testable import VoiceEdge

struct SwitchingRuleTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private func rule() -> SwitchingRule {
    SwitchingRule(machine: "desk", headsets: ["headset", "buds"], now: start)
  }

  private func decision(_ headset: String, _ holder: String) -> Anechoic_V1_RoutingDecision {
    .with { ($0.headset, $0.holder) = (headset, holder) }
  }

  @Test func onlyTheHeadsetsThatAreHeldMayBeUsed() {
    var rule = rule()
    rule.connected()
    #expect(rule.withheld(now: at(60)) == ["headset", "buds"])
    var areNews = [rule.accept(decision("headset", "desk"))]
    #expect(rule.withheld(now: at(60)) == ["buds"])
    for (headset, holder) in [("headset", "phone"), ("headset", "phone"), ("other", "desk")] {
      areNews.append(rule.accept(decision(headset, holder)))
    }
    #expect(areNews == [true, true, false, false])
    #expect(rule.withheld(now: at(60)) == ["headset", "buds"])
  }

  @Test func theLastDecisionCountsForTenSecondsWithoutTheArbiter() {
    var rule = rule()
    rule.connected()
    _ = rule.accept(decision("headset", "desk"))
    rule.lost(now: at(20))
    rule.lost(now: at(25))
    #expect(rule.withheld(now: at(29.9)) == ["buds"])
    #expect(!rule.isLocal(now: at(29.9)))
    #expect(rule.withheld(now: at(30)).isEmpty)
    #expect(rule.isLocal(now: at(30)))
    rule.connected()
    #expect(rule.withheld(now: at(31)) == ["buds"])
  }

  @Test func aMachineThatNeverReachedTheArbiterDecidesAloneAfterTenSeconds() {
    #expect(rule().withheld(now: at(9.9)) == ["headset", "buds"])
    #expect(rule().withheld(now: at(10)).isEmpty)
  }

  @Test func aFarEndMayPauseForTenSeconds() {
    var sounds = ProgramSounds()
    sounds.record(farEndPeak: 0.1, otherAudioPeak: nil, now: at(0))
    sounds.record(farEndPeak: nil, otherAudioPeak: 0.0005, now: at(9))
    let pause = sounds.summary(voiceIsRead: true, now: at(10))
    #expect(pause == .init(farEndSounds: true, voiceIsRead: true))
    #expect(sounds.summary(voiceIsRead: false, now: at(10.1)) == .init())
  }
}

struct WithheldRouteTests {
  private func selector(_ policy: EdgeConfiguration.Routes.Policy) -> RouteSelector {
    var routes = EdgeConfiguration.Routes()
    routes.policy = policy
    routes.ports = [("headset", 2), ("desk", 1)].map { id, priority in
      var port = EdgeConfiguration.Port(id: id)
      (port.input, port.priority) = (id, priority)
      return port
    }
    return RouteSelector(routes)
  }

  private let all: Set = ["headset", "desk"]

  @Test(arguments: [EdgeConfiguration.Routes.Policy.priority, .followsUse])
  func theHeadsetIsUsedOnlyWhileItIsNotWithheld(policy: EdgeConfiguration.Routes.Policy) {
    var selector = selector(policy)
    let changes = [
      selector.update(present: all, withheld: ["headset"]), selector.update(present: all),
      selector.update(present: all, withheld: ["headset"]),
      selector.update(present: ["headset"], withheld: ["headset"]),
    ]
    #expect(changes.map { $0?.current?.id } == ["desk", "headset", "desk", nil])
    #expect(
      changes.map { $0?.reason } == [
        .newDevice, .automaticSwitch, .automaticSwitch, .noSuitableRoute,
      ])
  }

  @Test func aPortThatAPersonNamesIsNeverReplaced() throws {
    var selector = selector(.priority)
    _ = selector.update(present: all)
    _ = try selector.choose("headset")
    #expect(selector.named == "headset")
    let change = selector.update(present: all, withheld: ["headset"])
    #expect(change == nil)
    _ = try selector.choose(nil)
    #expect(selector.current?.id == "desk")

    var only = self.selector(.only("headset"))
    _ = only.update(present: all, withheld: ["headset"])
    #expect(only.current?.id == "headset" && only.named == "headset")
  }
}

struct SwitchingConfigurationTests {
  private static let ports = """
    routes: {ports: [{id: headset, input: a}, {id: desk, input: b}]}

    """

  @Test func theSectionIsRead() throws {
    let text =
      Self.ports + """
        programs: {voice: "fifo:/tmp/voice"}
        routing: {group: anna, machine: pc, headsets: [headset], call: voice}
        """
    let configuration = try EdgeConfiguration.read(text, file: "edge.yaml").values
    #expect(
      configuration.switching
        == .init(group: "anna", machine: "pc", headsets: ["headset"], call: .voice))
    #expect(configuration.switching.isOn)
    #expect(try !EdgeConfiguration.read(Self.ports, file: "edge.yaml").values.switching.isOn)
  }

  @Test(arguments: [
    ("{headsets: [none]}", "there is no port \"none\""),
    ("{headsets: [desk, desk]}", "\"desk\" is already in the list"),
    ("{group: a/b}", "must have 1 to 63"),
    ("{machine: \"\"}", "must not be empty"),
    ("{call: ring}", "call"),
    ("{headsets: [desk], call: voice}", "voice needs programs.voice with fifo:PATH"),
    ("{headset: desk}", "headset"),
    ("{}\nprograms: {media: arbiter}", "programs.media: arbiter needs routing.headsets"),
  ])
  func aWrongSectionIsRefused(section: String, problem: String) {
    #expect {
      _ = try EdgeConfiguration.read(Self.ports + "routing: \(section)", file: "edge.yaml")
    } throws: {
      "\($0)".contains(problem) && "\($0)".contains("routing")
    }
  }
}
