import AudioCore
import Settings
import Testing
import VoiceEdge

/// Flags take precedence over variables, and variables over the file.
struct OverriddenConfigurationTests {
  private static let text = """
    server: {address: "file:1"}
    audio: {rate: 8000, volume_db: -3}
    mute: {keys: [a]}
    """

  private func read(
    _ environment: [String: String], _ flags: [String: String] = [:], _ text: String = text
  ) throws(SettingsError) -> EdgeConfiguration {
    var overrides = SettingsOverrides(environment: environment)
    for (path, value) in flags { overrides.set(path, [value], flag: "--\(path)") }
    return try EdgeConfiguration.read(text, file: "edge.yaml", overrides).values
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
      "ANECHOIC_EDGE_SERVER": "environment:1", "ANECHOIC_EDGE_VOLUME_DB": "-6",
      "ANECHOIC_EDGE_MUTE_KEYS": "b,c", "ANECHOIC_EDGE_FALLBACK": "full", "OTHER": "x",
    ])
    #expect(configuration.server.address == "environment:1")
    #expect(configuration.audio.volume == -6 && configuration.audio.rate == .hz8000)
    #expect(configuration.mute.keys == ["b", "c"] && configuration.fallback == .full)
  }

  @Test func flagsCountBeforeTheEnvironment() throws {
    let configuration = try read(
      ["ANECHOIC_EDGE_SERVER": "environment:1", "ANECHOIC_EDGE_RATE": "16000"],
      ["server.address": "flag:1"])
    #expect(configuration.server.address == "flag:1")
    #expect(configuration.audio.rate == .hz16000)
  }

  @Test func aFlagThatIsNotGivenHasNoEffect() throws {
    var overrides = SettingsOverrides()
    overrides.set("server.address", [], flag: "--server")
    let configuration = try EdgeConfiguration.read(Self.text, file: "edge.yaml", overrides).values
    #expect(configuration.server.address == "file:1")
  }

  @Test func aWrongVariableIsNamed() {
    let problem = problem(["ANECHOIC_EDGE_RATE": "1"])
    #expect(problem.hasPrefix("ANECHOIC_EDGE_RATE: \"1\""), "\(problem)")
  }

  @Test(arguments: ["ROUTES_PORTS", "SESSION_CONFIG", "", "rate"])
  func aVariableThatSetsNothingIsNamed(name: String) {
    let problem = problem(["ANECHOIC_EDGE_\(name)": "1"])
    let expected = "ANECHOIC_EDGE_\(name): no key belongs to this variable"
    #expect(problem.hasPrefix(expected), "\(problem)")
  }

  @Test(arguments: [
    ("RAET", "RATE"), ("AUDIO_RAET", "RATE"), ("FAREND", "FAR_END"), ("MUTE_KEY", "MUTE_KEYS"),
  ])
  func aVariableThatSetsNothingComesWithTheNearestOne(name: String, nearest: String) {
    #expect(
      problem(["ANECHOIC_EDGE_\(name)": "1"])
        == "ANECHOIC_EDGE_\(name): no key belongs to this variable; "
        + "did you mean ANECHOIC_EDGE_\(nearest)?")
  }

  @Test(arguments: ["XYZ", "SERVICE_HOST", "ROUTES_PORTS"])
  func aVariableThatIsLikeNoneComesWithoutAHint(name: String) {
    #expect(
      problem(["ANECHOIC_EDGE_\(name)": "1"])
        == "ANECHOIC_EDGE_\(name): no key belongs to this variable")
  }

  @Test func aVariableUnderAFlagIsKnown() throws {
    _ = try read(["ANECHOIC_EDGE_INPUT": "a"], ["routes.input": "b"])
  }

  @Test func aKeyThatAVariableRequiresIsNamed() {
    let problem = problem(["ANECHOIC_EDGE_KEY": "/a"])
    #expect(problem == "ANECHOIC_EDGE_KEY: certificate and key must be set together")
  }

  @Test func aWrongFlagIsNamed() {
    let problem = problem(["ANECHOIC_EDGE_RATE": "1"], ["audio.rate": "2"])
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
