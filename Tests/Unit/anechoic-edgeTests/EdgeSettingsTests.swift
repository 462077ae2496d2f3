import ArgumentParser
import CommandLineSupport
import Settings
import TestDocuments
import Testing
import VoiceEdge

@testable import anechoic_edge

/// The settings of the agent, its sample file and its reference.
struct EdgeSettingsTests {
  private func documents() throws -> SettingsDocuments<EdgeConfiguration> {
    try SettingsDocuments(
      of: EdgeConfiguration.table, sample: "deploy/edge/anechoic-edge.yaml",
      page: "docs/reference/edge.md")
  }

  @Test func theSampleHasEveryKeyWithItsDefault() throws {
    let documents = try documents()
    let settings = try EdgeConfiguration.read(documents.uncommentedSample, file: "sample.yaml")
    #expect(settings.warnings.isEmpty)
    #expect(documents.missing(from: settings).isEmpty, "run scripts/generate settings")
    let defaults = try EdgeConfiguration.read("", file: "")
    let table = EdgeConfiguration.table
    var (texts, expected) = (table.texts(of: settings.values), table.texts(of: defaults.values))
    // The sample shows the port that is used without any, which then has a name, and one far end.
    for path in ["routes.ports", "programs.far_ends"] { (texts[path], expected[path]) = (nil, nil) }
    #expect(texts == expected)
    #expect(settings.values.routes.ports.map(\.input) == ["default"])
    #expect(settings.values.routes.ports.map(\.output) == ["default"])
  }

  @Test func theSampleIsTheOneThatTheCodeWrites() throws {
    #expect(try documents().sample == EdgeConfiguration.sample, "run scripts/generate settings")
  }

  @Test func theReferenceHasTheTableThatTheCodeWrites() throws {
    #expect(
      try documents().page.contains(EdgeConfiguration.table.reference()),
      "run scripts/generate settings")
  }

  @Test func everySectionHasItsFlags() {
    let sections: [any EdgeFlagSection.Type] = [
      ServerFlags.self, SessionFlags.self, AudioFlags.self, RoutesFlags.self, RoutingFlags.self,
      ProgramsFlags.self, CallsFlags.self, MicrophoneFlags.self, MuteFlags.self,
      InjectionFlags.self, KeysFlags.self, OtherFlags.self,
    ]
    #expect(sections.map { $0.name }.sorted() == EdgeConfiguration.table.sections.sorted())
  }

  @Test func namesAreInSnakeCase() {
    let allowed = Set("abcdefghijklmnopqrstuvwxyz_.")
    for setting in EdgeConfiguration.table.settings {
      #expect(setting.path.allSatisfy { allowed.contains($0) }, "\(setting.path)")
    }
  }

  @Test func theFlagsOfEverySectionAreGiven() throws {
    let flags = [
      "--server=a:1", "--session-id=x", "--rate=16000", "--input=mic", "--routing-group=g",
      "--voice=fifo:/v", "--calls=request", "--microphone-open=always", "--start-muted",
      "--injection-permission=always", "--keys-ring=mute", "--fallback=silence",
    ]
    #expect(try RunCommand.parse(flags).flags.count == flags.count)
    #expect(flags.count == EdgeConfiguration.table.sections.count)
  }

  @Test func everyFlagIsRead() throws {
    let command = try RunCommand.parse([
      "--server", "a:1", "--tls", "--volume-db", "-3", "--mute-keys", "/dev/input/a", "--mute-keys",
      "bluez", "--no-start-muted", "--keys-ring", "mute", "--fallback", "silence", "--input", "mic",
    ])
    let settings = try EdgeConfiguration.read(
      "mute: {start_muted: true}", file: "x.yaml",
      SettingsOverrides(command.flags, environment: ["ANECHOIC_EDGE_SERVER": "b:2"]))
    let values = settings.values
    #expect(values.server.address == "a:1" && values.server.files.isTLS)
    #expect(values.audio.volume == -3 && !values.mute.startsMuted && values.fallback == .silence)
    #expect(values.mute.keys == ["/dev/input/a", "bluez"])
    #expect(values.keys.actions[.ring] == .mute)
    #expect(values.routes.policy == .only("command-line"))
    #expect(settings.origin("server.address") == .flag("--server"))
    #expect(settings.origin("mute.start_muted") == .flag("--start-muted"))
  }
}
