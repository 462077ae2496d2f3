import AudioCore
import Settings
import Testing
import VoiceEdge

/// Configurations of the version before, whose keys have hyphens and whose variables have the
/// names of the sections.
struct FormerConfigurationTests {
  private static let former = """
    server: {address: "a:1", ca-file: /ca, tls-server-name: n, token-file: /t}
    session: {join-buffer-ms: 50}
    audio: {input-channels: 2, output-channels: 1, volume-db: -3}
    programs:
      far-end: alsa:a
      far-end-channels: 2
      other-audio: alsa:b
      other-audio-channels: 1
      desktop-memory: /d
      media-memory: /m
      session-bus: unix:path=/b
    mute: {start-muted: true, muted-audio: stays-local, gesture-command: g}
    keys: {mic-mute: none, play-pause: mute, hook-switch: mute}
    control-socket: none
    """

  /// The keys of the text above with underscores. Values have hyphens.
  private static let present = [
    "ca-file", "tls-server-name", "token-file", "join-buffer-ms", "input-channels",
    "output-channels", "volume-db", "far-end-channels", "far-end", "other-audio-channels",
    "other-audio", "desktop-memory", "media-memory", "session-bus", "start-muted", "muted-audio",
    "gesture-command", "mic-mute", "play-pause", "hook-switch", "control-socket",
  ].reduce(former) { text, key in text.replacing("\(key):", with: "\(underscored(key)):") }

  private static func underscored(_ key: String) -> String { key.replacing("-", with: "_") }

  @Test func everyFormerKeyMeansTheSameAsThePresentOne() throws {
    let former = try EdgeConfiguration.read(Self.former, file: "edge.yaml")
    let present = try EdgeConfiguration.read(Self.present, file: "edge.yaml")
    let table = EdgeConfiguration.table
    #expect(table.texts(of: former.values) == table.texts(of: present.values))
    #expect(former.values.programs.farEnd == .alsa("a") && former.values.controlSocket == nil)
    func renamed(_ warnings: [String]) -> Int { warnings.count { $0.contains("is now called") } }
    #expect(renamed(former.warnings) == 21 && renamed(present.warnings) == 0)
    #expect(
      former.warnings.contains(
        "edge.yaml:1: server.ca-file: is now called server.ca_file; the next version refuses the "
          + "former name"), "\(former.warnings)")
  }

  @Test(arguments: [
    ("SERVER_ADDRESS", "SERVER"), ("SERVER_TLS", "TLS"), ("SERVER_CA_FILE", "CA_FILE"),
    ("SERVER_CERTIFICATE", "CERTIFICATE"), ("SERVER_KEY", "KEY"),
    ("SERVER_TLS_SERVER_NAME", "TLS_SERVER_NAME"), ("SERVER_TOKEN_FILE", "TOKEN_FILE"),
    ("SESSION_ENGINE", "ENGINE"), ("SESSION_SHARE", "SHARE"), ("SESSION_JOIN", "JOIN"),
    ("SESSION_JOIN_BUFFER_MS", "JOIN_BUFFER_MS"), ("AUDIO_RATE", "RATE"),
    ("AUDIO_INPUT_CHANNELS", "INPUT_CHANNELS"), ("AUDIO_OUTPUT_CHANNELS", "OUTPUT_CHANNELS"),
    ("AUDIO_PERIODS", "PERIODS"), ("AUDIO_VOLUME_DB", "VOLUME_DB"),
    ("AUDIO_REFERENCE", "REFERENCE"), ("AUDIO_TUNING", "TUNING"), ("ROUTES_INPUT", "INPUT"),
    ("ROUTES_OUTPUT", "OUTPUT"), ("ROUTES_LOOPBACK", "LOOPBACK"), ("ROUTES_CONTROL", "CONTROL"),
    ("PROGRAMS_FAR_END", "FAR_END"), ("PROGRAMS_FAR_END_CHANNELS", "FAR_END_CHANNELS"),
    ("PROGRAMS_OTHER_AUDIO", "OTHER_AUDIO"),
    ("PROGRAMS_OTHER_AUDIO_CHANNELS", "OTHER_AUDIO_CHANNELS"), ("PROGRAMS_VOICE", "VOICE"),
    ("PROGRAMS_DESKTOP", "DESKTOP"), ("PROGRAMS_DESKTOP_MEMORY", "DESKTOP_MEMORY"),
    ("PROGRAMS_MEDIA", "MEDIA"), ("PROGRAMS_MEDIA_MEMORY", "MEDIA_MEMORY"),
    ("PROGRAMS_SESSION_BUS", "SESSION_BUS"), ("MUTE_START_MUTED", "START_MUTED"),
    ("MUTE_MUTED_AUDIO", "MUTED_AUDIO"), ("MUTE_GESTURE_COMMAND", "GESTURE_COMMAND"),
  ])
  func aFormerVariableIsRead(former: String, present: String) {
    let (former, present) = ("ANECHOIC_EDGE_\(former)", "ANECHOIC_EDGE_\(present)")
    // Both names: the error proves that they belong together.
    let overrides = SettingsOverrides(environment: [former: "x", present: "x"])
    let error = #expect(throws: SettingsError.self) {
      try EdgeConfiguration.read("", file: "edge.yaml", overrides)
    }
    #expect(
      error?.description.hasPrefix("\(former): is the former name of \(present), which is set too")
        == true)
  }

  @Test func aFormerVariableWorksWithAWarning() throws {
    let settings = try EdgeConfiguration.read(
      "audio: {rate: 8000}", file: "edge.yaml",
      SettingsOverrides(environment: ["ANECHOIC_EDGE_AUDIO_RATE": "16000"]))
    #expect(settings.values.audio.rate == .hz16000)
    #expect(
      settings.warnings == [
        "ANECHOIC_EDGE_AUDIO_RATE: is now called ANECHOIC_EDGE_RATE; the next version refuses the "
          + "former name"
      ])
  }

  @Test func bothFormsOfAKeyAreAnError() {
    #expect(
      problem("programs:\n  far_end: alsa:a\n  far-end: alsa:a\n")
        == "edge.yaml:3: programs.far-end: is the former name of programs.far_end, which is set "
        + "too; remove programs.far-end")
  }

  @Test func aTuningWithFormerKeysIsReadWithAWarningForEachKey() throws {
    let text = """
      products:
        - product: a
          delay-ms: 3
          capture:
            level-db: -1
            filters:
              - {type: peak, frequency-hz: 900, gain-db: 3}
              - {type: peak, frequency-hz: 950, gain-db: 3}
        - product: b
          delay-ms: 4
      """
    var warnings: [String] = []
    let former = try TuningFile(reading: text, name: "tuning.yaml") { warnings.append($0) }
    let present = try TuningFile(
      reading: ["delay-ms", "level-db", "frequency-hz", "gain-db"].reduce(text) { text, key in
        text.replacing(key, with: Self.underscored(key))
      }, name: "tuning.yaml")
    #expect(former == present && former.products["a"]?.delay == 3)
    let keys = [
      "products.1.delay-ms", "products.1.capture.level-db",
      "products.1.capture.filters.1.frequency-hz", "products.1.capture.filters.1.gain-db",
    ]
    #expect(warnings.count == keys.count, "\(warnings)")
    for key in keys {
      #expect(warnings.contains { $0.contains(": \(key): is now called ") }, "\(warnings)")
    }
  }
}
