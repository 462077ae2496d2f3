import AudioCore
import Settings
import Testing
import VoiceEdge

/// Flags take precedence over variables, and variables over the file.
struct OverriddenConfigurationTests {
  private static let text = """
    server: {address: "file:1"}
    audio: {rate: 8000, volume-db: -3}
    mute: {keys: [a]}
    """

  private func read(
    _ environment: [String: String], _ flags: [String: String] = [:], _ text: String = text
  ) throws(SettingsError) -> EdgeConfiguration {
    var overrides = EdgeConfiguration.Overrides(environment: environment)
    for (path, value) in flags { overrides.set(path, value, flag: "--\(path)") }
    return try EdgeConfiguration.read(text, file: "edge.yaml", overrides).0
  }

  private func problem(
    _ environment: [String: String], _ flags: [String: String] = [:]
  ) -> String {
    do throws(SettingsError) {
      _ = try read(environment, flags)
      return "nothing is wrong"
    } catch {
      return error.description
    }
  }

  @Test func theEnvironmentCountsBeforeTheFile() throws {
    let configuration = try read([
      "ANECHOIC_EDGE_SERVER_ADDRESS": "environment:1", "ANECHOIC_EDGE_AUDIO_VOLUME_DB": "-6",
      "ANECHOIC_EDGE_MUTE_KEYS": "b,c", "ANECHOIC_EDGE_FALLBACK": "full", "OTHER": "x",
    ])
    #expect(configuration.server.address == "environment:1")
    #expect(configuration.audio.volume == -6 && configuration.audio.rate == .hz8000)
    #expect(configuration.mute.keys == ["b", "c"] && configuration.fallback == .full)
  }

  @Test func flagsCountBeforeTheEnvironment() throws {
    let configuration = try read(
      ["ANECHOIC_EDGE_SERVER_ADDRESS": "environment:1", "ANECHOIC_EDGE_AUDIO_RATE": "16000"],
      ["server.address": "flag:1"])
    #expect(configuration.server.address == "flag:1")
    #expect(configuration.audio.rate == .hz16000)
  }

  @Test func aFlagThatIsNotGivenHasNoEffect() throws {
    var overrides = EdgeConfiguration.Overrides()
    overrides.set("server.address", nil, flag: "--server")
    let (configuration, _) = try EdgeConfiguration.read(Self.text, file: "edge.yaml", overrides)
    #expect(configuration.server.address == "file:1")
  }

  @Test func aWrongVariableIsNamed() {
    let problem = problem(["ANECHOIC_EDGE_AUDIO_RATE": "1"])
    #expect(problem.hasPrefix("ANECHOIC_EDGE_AUDIO_RATE: \"1\""), "\(problem)")
  }

  @Test(arguments: ["AUDIO_RAET", "ROUTES_PORTS", "SESSION_CONFIG", "", "audio_rate"])
  func aVariableThatSetsNothingIsNamed(name: String) {
    let problem = problem(["ANECHOIC_EDGE_\(name)": "1"])
    #expect(problem == "ANECHOIC_EDGE_\(name): no key belongs to this variable")
  }

  @Test func aVariableUnderAFlagIsKnown() throws {
    _ = try read(["ANECHOIC_EDGE_ROUTES_INPUT": "a"], ["routes.input": "b"])
  }

  @Test func aKeyThatAVariableRequiresIsNamed() {
    let problem = problem(["ANECHOIC_EDGE_SERVER_KEY": "/a"])
    #expect(problem == "ANECHOIC_EDGE_SERVER_KEY: certificate and key must be set together")
  }

  @Test func aWrongFlagIsNamed() {
    let problem = problem(["ANECHOIC_EDGE_AUDIO_RATE": "1"], ["audio.rate": "2"])
    #expect(problem.hasPrefix("--audio.rate: \"2\""), "\(problem)")
  }

  @Test func portsOfTheCommandLineTakeThePlaceOfTheDefault() throws {
    let configuration = try read([:], ["routes.input": "mic", "routes.output": "spk"], "")
    #expect(configuration.routes.ports.map(\.id) == ["command-line"])
    #expect(configuration.routes.policy == .only("command-line"))
    #expect(configuration.routes.ports.first?.input == "mic")
    #expect(configuration.routes.ports.first?.output == "spk")
  }

  @Test func aPortOfTheCommandLineIsUsedBeforeThoseOfTheFile() throws {
    let text = "routes: {policy: follows-use, ports: [{id: a, input: b}]}\n"
    let configuration = try read([:], ["routes.input": "mic"], text)
    #expect(configuration.routes.ports.map(\.id) == ["a", "command-line"])
    #expect(configuration.routes.policy == .only("command-line"))
  }
}
