import AnechoicAPI
import Testing

@testable import VoiceEdge

struct RouteSelectorTests {
  private func selector(
    _ policy: EdgeConfiguration.Routes.Policy, _ ports: [(String, Int)] = [("a", 1), ("b", 2)]
  ) -> RouteSelector {
    var routes = EdgeConfiguration.Routes()
    routes.policy = policy
    routes.ports = ports.map { id, priority in
      var port = EdgeConfiguration.Port(id: id)
      port.input = id
      port.priority = priority
      return port
    }
    return RouteSelector(routes)
  }

  private func brief(_ change: RouteSelector.Change?) -> String {
    guard let change else { return "nothing" }
    let reason =
      switch change.reason {
      case .newDevice: "new"
      case .deviceLost: "lost"
      case .override: "chosen"
      case .automaticSwitch: "switch"
      case .noSuitableRoute: "none"
      default: "?"
      }
    return "\(change.previous?.id ?? "-") \(change.current?.id ?? "-") \(reason)"
  }

  private func choose(_ id: String?, in selector: inout RouteSelector) -> String {
    do throws(RouteError) { return brief(try selector.choose(id)) } catch { return "\(error)" }
  }

  /// Returns the changes of the route for each set of present ports.
  private func changes(
    _ selector: inout RouteSelector, _ present: [Set<String>]
  ) -> [String] {
    present.map { brief(selector.update(present: $0)) }
  }

  @Test func byPriorityTheHighestPresentPortIsUsed() {
    var selector = selector(.priority)
    let told = changes(&selector, [["a"], ["a", "b"], ["a", "b"], ["a"], [], ["b"], ["a", "b"]])
    #expect(
      told == [
        "- a new", "a b switch", "nothing", "b a lost", "a - none", "- b new", "nothing",
      ])
  }

  @Test func ofEqualPriorityTheFirstInTheFileIsUsed() {
    var selector = selector(.priority, [("a", 1), ("b", 1), ("c", 0)])
    let told = changes(&selector, [["c", "b"], ["a", "b", "c"]])
    #expect(told == ["- b new", "b a switch"])
  }

  @Test func theFirstLookSaysThatThereIsNothing() {
    var selector = selector(.priority)
    let told = changes(&selector, [[], [], ["a"]])
    #expect(told == ["- - none", "nothing", "- a new"])
  }

  @Test func byUseWhatWasPluggedInLastIsUsed() {
    var selector = selector(.followsUse, [("a", 3), ("b", 2), ("c", 1)])
    let told = changes(
      &selector, [["a", "b"], ["a", "b", "c"], ["a", "b"], ["b"], ["a", "b"], ["a", "b", "c"]])
    #expect(
      told == [
        "- a new", "a c switch", "c a lost", "a b lost", "b a switch", "a c switch",
      ])
  }

  @Test func byUseWhatWasChosenLastIsUsed() {
    var selector = selector(.followsUse)
    _ = selector.update(present: ["a", "b"])
    #expect(choose("a", in: &selector) == "b a chosen")
    #expect(choose(nil, in: &selector) == "nothing")
    let told = changes(&selector, [["a", "b"], ["b"], ["a", "b"]])
    #expect(told == ["nothing", "a b lost", "b a switch"])
  }

  @Test func aNamedPortIsNeverReplaced() {
    var selector = selector(.only("a"))
    let told = changes(&selector, [["b"], ["a", "b"], ["b"], ["a", "b"]])
    #expect(told == ["- - none", "- a new", "a - none", "- a new"])
  }

  @Test func aChosenPortIsUsedForAsLongAsItIsThere() {
    var selector = selector(.priority, [("a", 1), ("b", 2), ("c", 3)])
    _ = selector.update(present: ["a", "b"])
    #expect(choose("a", in: &selector) == "b a chosen")
    let told = changes(&selector, [["a", "b", "c"], ["b", "c"], ["a", "b", "c"]])
    #expect(told == ["nothing", "a c lost", "nothing"])
  }

  @Test func aChoiceCanBeTakenBack() {
    var selector = selector(.priority)
    _ = selector.update(present: ["a", "b"])
    #expect(choose("a", in: &selector) == "b a chosen")
    #expect(choose("a", in: &selector) == "nothing")
    #expect(choose(nil, in: &selector) == "a b chosen")
  }

  @Test func aNamedPortGivesWayToAChoiceUntilItIsGone() {
    var selector = selector(.only("a"))
    _ = selector.update(present: ["a", "b"])
    #expect(choose("b", in: &selector) == "a b chosen")
    let told = changes(&selector, [["a"]])
    #expect(told == ["b a lost"])
  }

  @Test func anAbsentPortCannotBeChosen() {
    var selector = selector(.priority)
    _ = selector.update(present: ["a"])
    #expect(choose("c", in: &selector) == "there is no port \"c\"")
    #expect(choose("b", in: &selector) == "the port \"b\" is not plugged in")
    #expect(selector.current?.id == "a")
  }

  @Test func aPortThatComesWhileAnotherMachineHasItIsTakenUntilItGoes() {
    var selector = selector(.priority)
    #expect(selector.update(present: [], withheld: ["a"])?.isTaken == false)
    #expect(selector.update(present: ["a"], withheld: ["a"])?.isTaken == true)
    #expect(selector.update(present: ["a"], withheld: ["a"]) == nil)
    #expect(selector.update(present: [], withheld: ["a"])?.isTaken == false)
    #expect(brief(selector.update(present: ["a"])) == "- a new")
  }

  @Test func whereAPortIsNamedNoOtherIsMissed() {
    var selector = selector(.only("a"))
    #expect(selector.update(present: ["b"], withheld: ["b"])?.isTaken == false)
  }
}
