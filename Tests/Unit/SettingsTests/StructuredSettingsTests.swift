import Settings
import Testing

/// Settings that are no single values: keys outside of sections, lists of mappings, objects, values
/// that may be absent, and settings that the file cannot contain.
struct StructuredSettingsTests {
  private struct Door: Sendable, Equatable {
    var id = ""
    var width = 80
    var colour: String?
  }

  private struct Values: Sendable {
    var mode = "light"
    var doors: [Door] = []
    var letters = 0
    var level = 0.0
    var tool: String?
  }

  private static let doorTable = SettingsTable<Door>(
    [
      Setting("id", \.id, .text("id", allowed: "any text"), "The name", unset: "required"),
      Setting("width", \.width, .integer(1...200), "The width in cm"),
      Setting(
        "colour", \.colour, .optional(.filledText("name", allowed: "any name")), "The colour",
        unset: "that of the wood"),
    ], defaults: Door())

  private let table = SettingsTable<Values>(
    [
      Setting("house.doors", \.doors, Self.doors, "The doors"),
      Setting("house.level", \.level, .number(-60...0), "The level"),
      Setting(
        "house.letters", \.letters,
        .object(allowed: "numbers by letters") { object throws(NestedSettingError) in
          for (key, value) in object where !(value is Int) {
            throw NestedSettingError(at: [key], "must be a number")
          }
          return object.count
        }, "Letters"),
      Setting(
        "house.tool", isInFile: false, \.tool, .optional(.filledText("name", allowed: "a tool")),
        "The tool"),
      Setting("mode", \.mode, .words([("light", "light"), ("dark", "dark")]), "The mode"),
    ], defaults: Values(), notes: ["house": "All about\nthe house."])

  private static let doors = SettingFormat<[Door]>.elements(
    doorTable, allowed: "a list", example: Door(id: "front")
  ) { doors throws(SettingsError) in
    for door in doors where door.values.id.isEmpty { throw door.wrong("id", "is required") }
  }

  private func read(
    _ text: String, flags: [String: String] = [:]
  ) throws(SettingsError) -> LayeredValues<Values> {
    var overrides = SettingsOverrides(environment: ["ANECHOIC_DOORS": "x", "ANECHOIC_WIDTH": "7"])
    for (path, value) in flags { overrides.set(path, [value], flag: "--\(path)") }
    return try table.read(text, file: "x.yaml", overrides)
  }

  private func problem(_ text: String, flags: [String: String] = [:]) -> String {
    do throws(SettingsError) {
      _ = try read(text, flags: flags)
      return "nothing is wrong"
    } catch {
      return error.description
    }
  }

  @Test func everyKindIsRead() throws {
    let settings = try read(
      """
      house:
        doors:
          - {id: a, width: 90}
          - {id: b, colour: red}
        letters: {x: 1, y: 2}
        level: -2.5
      mode: dark
      """, flags: ["house.tool": "hammer"])
    let expected = [Door(id: "a", width: 90), Door(id: "b", colour: "red")]
    #expect(settings.values.doors == expected)
    #expect(settings.values.letters == 2 && settings.values.level == -2.5)
    #expect(settings.values.mode == "dark" && settings.values.tool == "hammer")
    #expect(settings.origin("house.doors") == .file("x.yaml:3"))
    #expect(settings.origin("house.letters") == .file("x.yaml:5"))
    #expect(settings.origin("mode") == .file("x.yaml:7"))
  }

  @Test(arguments: ["", "house:\n  doors: []\n  letters:\n  level:\nmode:\n"])
  func absentKeysHaveTheirDefaults(text: String) throws {
    let values = try read(text).values
    #expect(values.doors.isEmpty && values.letters == 0 && values.level == 0)
    #expect(values.mode == "light" && values.tool == nil)
  }

  @Test(arguments: [
    ("house: {doors: x}", "x.yaml:1: house.doors: must be a list"),
    ("house:\n  doors:\n    - x\n", "x.yaml:3: house.doors.1: must contain keys and values"),
    ("house:\n  doors:\n    - width: 3\n", "x.yaml:3: house.doors.1.id: is required"),
    ("house:\n  doors:\n    - {id: a}\n    -\n", "x.yaml:4: house.doors.2.id: is required"),
    (
      "house:\n  doors:\n    - id: a\n      width: 0\n",
      "x.yaml:4: house.doors.1.width: \"0\" is not a number from 1 to 200"
    ),
    (
      "house:\n  doors:\n    - id: a\n      colour: ''\n",
      "x.yaml:4: house.doors.1.colour: must not be empty"
    ),
    (
      "house:\n  doors:\n    - id: a\n      widht: 1\n",
      "x.yaml:4: unknown key \"house.doors.1.widht\"; did you mean house.doors.1.width?"
    ),
    ("house: {letters: x}", "x.yaml:1: house.letters: takes keys and values"),
    ("house:\n  letters:\n    x: 1\n    y: z\n", "x.yaml:4: house.letters.y: must be a number"),
    ("house: {level: 1}", "x.yaml:1: house.level: \"1\" is not a number from -60 to 0"),
    ("house: {level: nan}", "x.yaml:1: house.level: \"nan\" is not a number from -60 to 0"),
    ("house: {tool: saw}", "x.yaml:1: unknown key \"house.tool\"; use one of doors, letters"),
    ("mode: grey", "x.yaml:1: mode: \"grey\" is not allowed; use light or dark"),
    ("mode: {a: b}", "x.yaml:1: mode: must be a single value"),
    ("moed: dark", "x.yaml:1: unknown key \"moed\"; did you mean mode?"),
  ])
  func aMistakeIsNamedWithItsPlace(text: String, expected: String) {
    #expect(problem(text).hasPrefix(expected), "\(problem(text))")
  }

  @Test func anEmptyFlagIsNoValueThatMayBeAbsent() {
    #expect(problem("", flags: ["house.tool": ""]) == "--house.tool: must not be empty")
  }

  @Test func theSampleShowsAnElement() {
    #expect(
      table.sample(title: "Title.") == """
        # Title.

        # All about
        # the house.
        house:
          # The doors: a list.
          #doors:
            # The name: any text.
            #- id: front
              # The width in cm: 1 to 200.
              #width: 80
              # The colour: any name. Default: that of the wood.
              #colour:
          # The level: -60 to 0.
          #level: 0
          # Letters: numbers by letters.
          #letters: {}

        # The mode: light or dark.
        #mode: light

        """)
  }

  @Test func theReferenceHasTheKeysOfElements() {
    #expect(
      table.reference() == """
        | key | flag | environment | default | values |
        |---|---|---|---|---|
        | `house.doors` | | | none | a list |
        | `house.doors[].id` | | | required | any text |
        | `house.doors[].width` | | | 80 | 1 to 200 |
        | `house.doors[].colour` | | | that of the wood | any name |
        | `house.level` | `--level` | `ANECHOIC_LEVEL` | 0 | -60 to 0 |
        | `house.letters` | | | {} | numbers by letters |
        | | `--tool` | `ANECHOIC_TOOL` | none | a tool |
        | `mode` | `--mode` | `ANECHOIC_MODE` | light | light or dark |

        """)
  }

  @Test func theListingHasEveryValueWithItsPlace() throws {
    let settings = try read("house:\n  doors: [{id: a b}]\n", flags: ["mode": "dark"])
    #expect(
      table.listing(settings) == """
        house.doors: [{id: "a b", width: 80}]  # x.yaml:2
        house.level: 0  # default
        house.letters: {}  # default
        house.tool:  # default
        mode: dark  # --mode

        """)
  }
}
