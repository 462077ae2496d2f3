import Settings
import Testing

/// Names of the version before: they work, with a warning, unless the present name is used too.
struct FormerNamesTests {
  private struct Values: Sendable {
    var size = 1
    var names: [String] = []
    var socket: String?
  }

  private let table = SettingsTable(
    [
      Setting("first.pool_size", flag: "size", \Values.size, .integer(1...10), "A number"),
      Setting("first.all_names", \.names, .list("name", allowed: "names"), "Names"),
      Setting(
        "control_socket", \.socket, .optional(.filledText("path", allowed: "a path")), "A path"),
    ], defaults: Values(),
    names: SettingsNames(
      prefix: "TEST_", refusesOtherVariables: true,
      former: FormerNames(key: { $0.replacing("_", with: "-") }) { path in
        "TEST_\(path.uppercased().replacing(".", with: "_"))"
      }))

  private func read(
    _ text: String, _ environment: [String: String] = [:]
  ) throws(SettingsError) -> LayeredValues<Values> {
    try table.read(text, file: "x.yaml", SettingsOverrides(environment: environment))
  }

  private func problem(_ text: String, _ environment: [String: String] = [:]) -> String {
    do throws(SettingsError) {
      _ = try read(text, environment)
      return "nothing is wrong"
    } catch {
      return error.description
    }
  }

  @Test func presentNamesAreNoReasonForAWarning() throws {
    let settings = try read(
      "first: {pool_size: 2}\ncontrol_socket: /s\n", ["TEST_SIZE": "3", "OTHER": "x"])
    #expect(settings.values.size == 3 && settings.values.socket == "/s")
    #expect(settings.warnings.isEmpty)
  }

  @Test func aFormerKeyWorksWithAWarning() throws {
    let rest = "; the next version refuses the former name"
    let settings = try read("first:\n  pool-size: 2\n  all-names: [a, b]\ncontrol-socket: /s\n")
    #expect(settings.values.size == 2 && settings.values.names == ["a", "b"])
    #expect(settings.values.socket == "/s")
    #expect(settings.origin("first.pool_size") == .file("x.yaml:2"))
    #expect(
      Set(settings.warnings) == [
        "x.yaml:4: control-socket: is now called control_socket\(rest)",
        "x.yaml:2: first.pool-size: is now called first.pool_size\(rest)",
        "x.yaml:3: first.all-names: is now called first.all_names\(rest)",
      ])
  }

  @Test func aFormerVariableWorksWithAWarning() throws {
    let settings = try read("first: {pool_size: 2}", ["TEST_FIRST_POOL_SIZE": "4"])
    #expect(settings.values.size == 4)
    #expect(settings.origin("first.pool_size") == .environment("TEST_FIRST_POOL_SIZE"))
    #expect(
      settings.warnings == [
        "TEST_FIRST_POOL_SIZE: is now called TEST_SIZE; the next version refuses the former name"
      ])
  }

  @Test func aFlagCountsBeforeAFormerVariable() throws {
    var overrides = SettingsOverrides(environment: ["TEST_FIRST_POOL_SIZE": "4"])
    overrides.set("first.pool_size", ["5"], flag: "--size")
    let settings = try table.read("first: {pool-size: 2}", file: "x.yaml", overrides)
    #expect(settings.values.size == 5 && settings.warnings.count == 2)
  }

  @Test func bothNamesOfAKeyAreAnError() {
    #expect(
      problem("first:\n  pool_size: 2\n  pool-size: 2\n")
        == "x.yaml:3: first.pool-size: is the former name of first.pool_size, which is set too; "
        + "remove first.pool-size")
    let both = problem("control-socket: /a\ncontrol_socket: /a\n")
    #expect(both.hasPrefix("x.yaml:1: control-socket: "), "\(both)")
    #expect(problem("first:\n  pool-size:\n  pool_size: 2\n").hasPrefix("x.yaml:2: "))
  }

  @Test func bothNamesOfAVariableAreAnError() {
    #expect(
      problem("", ["TEST_SIZE": "2", "TEST_FIRST_POOL_SIZE": "2"])
        == "TEST_FIRST_POOL_SIZE: is the former name of TEST_SIZE, which is set too; remove "
        + "TEST_FIRST_POOL_SIZE")
  }

  @Test func anErrorInAFormerKeyNamesItsLine() {
    #expect(
      problem("first:\n  pool-size: 11\n")
        == "x.yaml:2: first.pool_size: \"11\" is not a number from 1 to 10")
  }

  @Test func aKeyThatNeverExistedIsUnknown() {
    #expect(
      problem("first: {poolsize: 1}")
        == "x.yaml:1: unknown key \"first.poolsize\"; did you mean first.pool_size?")
    #expect(problem("first: {pool-sizes: 1}").contains("did you mean first.pool_size?"))
  }

  @Test func anUnknownVariableWithThePrefixIsAnError() {
    #expect(
      problem("", ["TEST_SIZ": "1"])
        == "TEST_SIZ: no key belongs to this variable; did you mean TEST_SIZE?")
    #expect(problem("", ["TEST_OTHER_X": "1"]) == "TEST_OTHER_X: no key belongs to this variable")
  }
}
