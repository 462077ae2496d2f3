import AnechoicAPI
import EdgeAudio
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

/// The keys of a port that name channels and jacks, and the reference of ports that name none.
struct PortChannelTests {
  private func ports(_ port: String) -> String {
    "routes: {ports: [{id: a, input: b, output: c, \(port)}]}\n"
  }

  @Test func channelsAreNumbersOrPositions() throws {
    let text = ports(
      "input_channel_map: [FC], reference_channel_map: [5, 6], output_channel_map: [RL, 2]")
    let port = try #require(
      try EdgeConfiguration.read(text, file: "edge.yaml").values.routes.ports.first)
    #expect(port.inputChannels == ["FC"] && port.referenceChannels == ["5", "6"])
    #expect(port.outputChannels == ["RL", "2"])
  }

  @Test(arguments: [
    (
      "input_channel_map: [0]",
      "input_channel_map: \"0\" is no channel; use a number from 1 to 32, or one of"
    ),
    ("output_channel_map: [FX]", "output_channel_map: \"FX\" is no channel"),
    ("output_channel_map: [33]", "output_channel_map: \"33\" is no channel"),
    ("input_channel_map: [1, 2, 3]", "input_channel_map: must name one or two channels, not 3"),
    ("output_channel_map: [FL, FL]", "output_channel_map: names channel FL twice"),
    (
      "input_channel_map: [1, 2], reference_channel_map: [2]",
      "reference_channel_map: channel 2 is already in input_channel_map"
    ),
    (
      "loopback: d, reference_channel_map: [2]",
      "reference_channel_map: cannot be set together with loopback"
    ),
    (
      "pattern: cardioid, input_channel_map: [2]",
      "input_channel_map: must name two channels, because pattern needs them"
    ),
    (
      "jack: Headphone Jack", "jack: needs a control, because neither output nor input names a card"
    ),
    ("control: d, jack: ''", "jack: \"\" is not allowed; use the name of a jack"),
  ])
  func aWrongChannelOrJackIsNamed(port: String, words: String) {
    let problem = problem(ports(port))
    #expect(problem.contains("routes.ports.1.\(words)"), "\(problem)")
  }

  @Test func theJackOfACardNeedsNoControl() throws {
    let text = """
      routes: {ports: [{id: a, output: "plughw:CARD=Desk,DEV=3", jack: "HDMI/DP,pcm=3 Jack"},
        {id: b, output: c, control: "hw:1", jack: "Headphone Jack,2"}]}
      """
    let ports = try EdgeConfiguration.read(text, file: "edge.yaml").values.routes.ports
    #expect(
      ports.map(\.jack) == [
        JackName(name: "HDMI/DP,pcm=3 Jack"), JackName(name: "Headphone Jack", index: 2),
      ])
  }

  @Test func aReferencePCMIsTheLoopbackOfEachPortThatHasNone() throws {
    let text = """
      audio: {reference: "alsa:plughw:CARD=Loopback,DEV=1"}
      routes: {ports: [{id: a, input: b, output: c}, {id: d, output: e, loopback: f},
        {id: g, output: h, headphones: true}, {id: i, input: j, reference_channel_map: [3]}]}
      """
    let ports = try EdgeConfiguration.read(text, file: "edge.yaml").values.routes.ports
    #expect(ports.map(\.loopback) == ["plughw:CARD=Loopback,DEV=1", "f", nil, nil])
    #expect(problem("audio: {reference: \"alsa:\"}\n").contains("audio.reference: "))
  }
}
