import AnechoicAPI
import Settings
import Testing
import VoiceEdge

/// The key `routes.ports`.
struct PortConfigurationTests {
  @Test func aPortMayBeNamedByThePolicy() throws {
    let text =
      "routes:\n  policy: desk\n  ports:\n  - {id: desk, input: a}\n  - {id: b, output: c}\n"
    let configuration = try EdgeConfiguration.read(text, file: "edge.yaml").values
    #expect(configuration.routes.policy == .only("desk"))
    #expect(configuration.routes.ports.map(\.id) == ["desk", "b"])
  }

  @Test(arguments: [
    ("- {input: a}", "edge.yaml:3: routes.ports.1.id: is required"),
    ("- {id: '', input: a}", "edge.yaml:3: routes.ports.1.id: is required"),
    ("- {id: b, input: a}\n  -", "edge.yaml:4: routes.ports.2.id: is required"),
    ("-\n    name: Desk\n    input: a", "edge.yaml:4: routes.ports.1.id: is required"),
    ("- {id: a, input: ''}", "edge.yaml:3: routes.ports.1.input: must not be empty"),
    ("- {id: a, input: b, name: \"\\e[1m\"}", "routes.ports.1.name: must have at most 255 bytes"),
    ("- {id: a}", "neither input nor output"),
    ("- {id: a, loopback: b, control: c}", "neither input nor output"),
    ("- {id: a, input: b}\n  - {id: a, output: c}", "\"a\" is already the id of another port"),
  ])
  func aPortThatCannotBe(ports: String, words: String) {
    let problem = problem("routes:\n  ports:\n  \(ports)\n")
    #expect(problem.hasPrefix("edge.yaml"), "\(problem)")
    #expect(problem.contains("routes.ports.") && problem.contains(words), "\(problem)")
  }

  @Test(arguments: ["automatic", "none", "priority", "follows-use", "command-line"])
  func reservedWordsAreNotIDs(id: String) {
    let problem = problem("routes:\n  ports:\n  - input: a\n    id: \(id)\n")
    #expect(
      problem == "edge.yaml:4: routes.ports.1.id: \"\(id)\" is reserved; choose another id")
  }

  @Test(arguments: ["a b", "a/b", "tür", "\"a\\n\"", String(repeating: "a", count: 64)])
  func anIDIsOfFewCharacters(id: String) {
    let problem = problem("routes:\n  ports:\n  - input: a\n    id: \(id)\n")
    #expect(
      problem.hasPrefix("edge.yaml:4: routes.ports.1.id: must have 1 to 63 of a-z"), "\(problem)")
  }

  @Test func aPolicyThatNamesNoPortIsWrong() {
    let problem = problem("routes:\n  policy: attic\n  ports: [{id: desk, input: a}]\n")
    #expect(problem.hasPrefix("edge.yaml:2: routes.policy: \"attic\""), "\(problem)")
  }

  @Test(arguments: [
    ("built-in", 1), ("usb", 2), ("bluetooth", 3), ("hdmi", 4), ("line", 5), ("virtual", 6),
  ])
  func eachTypeOfAPortIsKnown(name: String, number: Int) throws {
    let text = "routes: {ports: [{id: a, input: b, type: \(name)}]}\n"
    let configuration = try EdgeConfiguration.read(text, file: "edge.yaml").values
    #expect(configuration.routes.ports.first?.type.rawValue == number)
  }
}
