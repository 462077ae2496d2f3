import Foundation
import Testing

@testable import Settings

/// A table of settings: layers, errors with their places, and changes while a program runs.
struct SettingsTableTests {
  private struct Values: Sendable {
    var number = 5
    var isOn = true
    var path: String?
    var names = ["a"]
  }

  private let table = SettingsTable(
    [
      Setting("first.number", \Values.number, .integer(1...10), .live, "A number"),
      Setting("first.is_on", \.isOn, .boolean, .restart, "A switch"),
      Setting("second.path", flag: "second-path", \.path, .file, .restart, "A file"),
      Setting(
        "second.names", \.names,
        .list("name", allowed: "a or b") {
          ["a", "b"].contains($0) ? nil : "\"\($0)\" is not a name"
        },
        .live, "Names"),
    ], defaults: Values())

  private func read(
    _ text: String, _ environment: [String: String] = [:], flags: [String: String] = [:]
  ) throws(SettingsError) -> LayeredValues<Values> {
    var overrides = SettingsOverrides(environment: environment)
    for (path, value) in flags { overrides.set(path, [value], flag: "--\(path)") }
    return try table.read(text, file: "x.yaml", overrides)
  }

  private func problem(
    _ text: String, _ environment: [String: String] = [:], flags: [String: String] = [:]
  ) -> String {
    do throws(SettingsError) {
      _ = try read(text, environment, flags: flags)
      return "nothing is wrong"
    } catch {
      return error.description
    }
  }

  @Test func aKeyThatIsSetNowhereHasItsDefault() throws {
    let settings = try read("first:\nsecond: {}\n")
    #expect(settings.values.number == 5 && settings.values.names == ["a"])
    #expect(settings.origin("first.number") == .defaultValue)
  }

  @Test func aFlagCountsBeforeAVariableAndAVariableBeforeTheFile() throws {
    let text = "first:\n  number: 2\n  is_on: no\n"
    #expect(try read(text).values.number == 2)
    #expect(try read(text).values.isOn == false)
    #expect(try read(text).origin("first.number") == .file("x.yaml:2"))
    let variable = ["ANECHOIC_NUMBER": "3"]
    #expect(try read(text, variable).values.number == 3)
    #expect(try read(text, variable).origin("first.number") == .environment("ANECHOIC_NUMBER"))
    let flagged = try read(text, variable, flags: ["first.number": "4"])
    #expect(flagged.values.number == 4)
    #expect(flagged.origin("first.number") == .flag("--first.number"))
  }

  @Test func listsAreSplitAtCommasInVariablesOnly() throws {
    #expect(try read("second: {names: [a, b]}").values.names == ["a", "b"])
    #expect(try read("second: {names: b}").values.names == ["b"])
    #expect(try read("", ["ANECHOIC_NAMES": "b,a"]).values.names == ["b", "a"])
    #expect(problem("", flags: ["second.names": "a,b"]) == "--second.names: \"a,b\" is not a name")
  }

  @Test func anEmptyTextIsNoFile() throws {
    #expect(try read("second: {path: /x}").values.path == "/x")
    #expect(try read("second: {path: /x}", flags: ["second.path": ""]).values.path == nil)
  }

  /// As `${NAME:-}` makes it.
  @Test func anEmptyVariableOverridesNothing() throws {
    let names = [
      "ANECHOIC_NUMBER", "ANECHOIC_IS_ON", "ANECHOIC_SECOND_PATH", "ANECHOIC_NAMES",
    ]
    let settings = try read(
      "{first: {number: 2, is_on: no}, second: {path: /x, names: b}}",
      Dictionary(uniqueKeysWithValues: names.map { ($0, "") }))
    #expect(settings.values.number == 2 && !settings.values.isOn)
    #expect(settings.values.path == "/x" && settings.values.names == ["b"])
    #expect(settings.origin("first.number") == .file("x.yaml:1"))
  }

  @Test(arguments: [("true", "false"), ("True", "FALSE"), ("yes", "No"), ("ON", "off"), ("1", "0")])
  func aSwitchHasManyWords(on: String, off: String) throws {
    for (word, isOn) in [(on, true), (off, false)] {
      #expect(try read("first: {is_on: \(word)}").values.isOn == isOn)
      #expect(try read("", ["ANECHOIC_IS_ON": word]).values.isOn == isOn)
    }
  }

  @Test(arguments: [
    ("first: {number: 11}", "x.yaml:1: first.number: \"11\" is not a number from 1 to 10"),
    ("first:\n  number: []\n", "x.yaml:2: first.number: must be a single value"),
    ("first:\n  is_on: perhaps\n", "x.yaml:2: first.is_on: \"perhaps\" must be true or false"),
    ("\nsecond:\n  names: [a,\n    c]\n", "x.yaml:4: second.names: \"c\" is not a name"),
    ("first:\n  nubmer: 3\n", "x.yaml:2: unknown key \"first.nubmer\"; did you mean first.number?"),
    ("first: {path: x}", "x.yaml:1: unknown key \"first.path\"; did you mean second.path?"),
    ("first: {other: x}", "x.yaml:1: unknown key \"first.other\"; use one of is_on, number"),
    ("third: 1\n", "x.yaml:1: unknown key \"third\"; use one of first, second"),
    ("first: 1\n", "x.yaml:1: first: must contain keys and values"),
  ])
  func aMistakeIsNamedWithFileLineAndKey(text: String, expected: String) {
    #expect(problem(text) == expected)
  }

  @Test func aMistakeInAVariableOrAFlagIsNamed() {
    #expect(problem("", ["ANECHOIC_NUMBER": "x"]).hasPrefix("ANECHOIC_NUMBER: \"x\" is not"))
    #expect(problem("", flags: ["first.number": "0"]).hasPrefix("--first.number: \"0\" is not"))
  }

  @Test func aPathMayBeginInTheHomeFolder() throws {
    let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
    #expect(try read("second: {path: ~/x}").values.path == "\(home)/x")
    #expect(try read("second: {path: 'fifo:~/x'}").values.path == "fifo:\(home)/x")
    for path in ["/a/~/x", "~x/y", "'~'"] {
      #expect(try read("second: {path: \(path)}").values.path == path.replacing("'", with: ""))
    }
    #expect(problem("second: {names: [~/a]}").contains("\"~/a\" is not a name"))
  }

  @Test func otherVariablesAreIgnored() throws {
    #expect(try read("", ["ANECHOIC_SERVICE_HOST": "10.0.0.1"]).values.number == 5)
  }

  @Test func onlyANearNameIsSuggested() {
    for (name, other) in [("sever", "server"), ("raet", "rate"), ("micmode", "mic-mode")] {
      #expect(NearestName.isNear(name, to: other))
    }
    for (name, other) in [("foo", "tls"), ("id", "to"), ("port", "opus"), ("mode", "loop")] {
      #expect(!NearestName.isNear(name, to: other))
    }
  }

  @Test(arguments: [
    ("ANECHOIC_NUMBR", "ANECHOIC_NUMBER"), ("ANECHOIC_SECNOD_PATH", "ANECHOIC_SECOND_PATH"),
    ("ANECHOIC_PATH", "ANECHOIC_SECOND_PATH"),
  ])
  func aVariableThatIsAlmostOneOfAKeyIsAWarning(variable: String, meant: String) throws {
    let warnings = try read("", [variable: "3"]).warnings
    #expect(
      warnings == ["\(variable): no key belongs to this variable; did you mean \(meant)?"])
  }

  @Test(arguments: [
    "ANECHOIC_NAME_PORT", "ANECHOIC_NAMES_SERVICE_HOST", "ANECHOIC_PORT_1_TCP", "ANECHOIC_TOKEN",
    "OTHER_NUMBER",
  ])
  func otherVariablesAreNoWarning(variable: String) throws {
    #expect(try read("", [variable: "3"]).warnings.isEmpty)
  }

  @Test func aReloadAppliesLiveSettingsOnly() throws {
    var values = Values()
    let new = try read("first: {number: 7, is_on: false}").values
    let changes = table.reload(&values, from: new)
    #expect(values.number == 7 && values.isOn)
    #expect(changes.map(\.path) == ["first.number", "first.is_on"])
    #expect(changes.map(\.isApplied) == [true, false])
    #expect(changes.first?.old == "5" && changes.first?.new == "7")
    #expect(table.reload(&values, from: new).count == 1)
  }

  @Test func aSampleWithoutItsCommentsHasTheDefaults() throws {
    let sample = table.sample(title: "Title.")
    #expect(sample.contains("  # A number: 1 to 10. Reloadable.\n  #number: 5\n"))
    let bare = sample.replacing("  #number", with: "  number").replacing(
      "  #is_on", with: "  is_on"
    )
    .replacing("  #path", with: "  path").replacing("  #names", with: "  names")
    let settings = try read(bare)
    let defaults = try read("").values
    for setting in table.settings {
      #expect(setting.value(in: settings.values) == setting.value(in: defaults))
    }
    #expect(table.settings.allSatisfy { settings.origin($0.path) != .defaultValue })
  }
}
