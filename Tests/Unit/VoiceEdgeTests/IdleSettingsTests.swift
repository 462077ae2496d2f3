import Foundation
import Settings
import TestAudio
import Testing

@testable import VoiceEdge

/// Settings that have no effect together with the others, and defaults that have changed.
struct IdleSettingsTests {
  private func warnings(_ text: String, flags: [String: String] = [:]) throws -> [String] {
    var overrides = SettingsOverrides(environment: [:])
    for (path, value) in flags {
      overrides.set(path, [value], flag: "--\(path.replacing(".", with: "-"))")
    }
    return try EdgeConfiguration.read(text, file: "edge.yaml", overrides).warnings
  }

  @Test(arguments: [
    ("programs: {far_end_channels: 2}", "programs.far_end_channels", "without programs.far_end"),
    ("programs: {media: leave, media_memory: /tmp/x}", "programs.media_memory", "media: leave"),
    ("programs: {session_bus: 'unix:path=/b'}", "programs.session_bus", "no player is paused"),
    ("programs: {desktop_memory: /tmp/x}", "programs.desktop_memory", "without programs.desktop"),
    ("calls: {applications: [Firefox]}", "calls.applications", "without programs.desktop"),
    ("calls: {begin: always, applications: [F]}", "calls.applications", "begin: always"),
    ("routing: {group: g}", "routing.group", "without routing.headsets"),
    ("session: {join_buffer_ms: 50}", "session.join_buffer_ms", "without session.join"),
    ("keys: {ring: mute}", "keys.ring", "without mute.keys"),
    ("keys: {command: 'true'}", "keys.command", "without mute.keys"),
    ("mute: {gesture_command: 'true'}", "mute.gesture_command", "MUTE_GESTURE_POLICY_ASK"),
    ("mute: {muted_audio: closed, talker_chime: true}", "mute.talker_chime", "detects nobody"),
    ("injection: {permission: never, remember: true}", "injection.remember", "never"),
    ("injection: {permission: always, command: 'true'}", "injection.command", "always"),
    (
      "{injection: {permission: always}, "
        + "session: {config: {preferred_injection_mode: INJECTION_MODE_NONE}}}",
      "injection.permission", "INJECTION_MODE_NONE"
    ),
    ("routes: {ports: [{id: d, input: m, pattern: stereo}]}", "port d", "input_channels: 1"),
    ("routes: {ports: [{id: d, input: m, turned: true}]}", "turned of port d", "without a pattern"),
    ("routes: {ports: [{id: d, input: m, headphones: true}]}", "port d", "without an output"),
    (
      "routes: {ports: [{id: d, input: m, microphone_spacing: 30}]}",
      "microphone_spacing of port d",
      "input_channels: 1"
    ),
    (
      "routes: {ports: [{id: d, output: s, microphone_spacing: 30}]}",
      "microphone_spacing of port d", "without an input"
    ),
    (
      "programs: {far_ends: [{id: alice, azimuth_degrees: 45}]}",
      "programs.far_ends: azimuth_degrees of far end alice", "without spatial_audio.enabled"
    ),
    (
      "programs: {far_ends: [{id: alice, elevation_degrees: 45, gain_db: 3}]}",
      "elevation_degrees of far end alice", "without spatial_audio.enabled"
    ),
    (
      "{programs: {far_ends: [{id: alice}]}, session: {config: {spatial_audio: "
        + "{sources: [{far_end_id: alice, azimuth_degrees: 9}]}}}}",
      "session.config: the place of \"alice\"", "beside programs.far_ends"
    ),
    (
      "session: {config: {spatial_audio: {sources: [{far_end_id: bob}]}}}",
      "session.config: the place of \"bob\"", "no far end of this id"
    ),
    ("routes: {ports: [{id: d, input: m, product: p}]}", "port d", "without audio.tuning"),
    (
      "{audio: {reference: reports}, routes: {ports: [{id: d, input: m, output: s, loopback: l}]}}",
      "loopback of port d", "reference: reports"
    ),
    (
      "{audio: {reference: tap}, routes: {ports: [{id: d, input: m, output: s, loopback: l}]}}",
      "audio.reference", "loopback"
    ),
    (
      "{audio: {reference: tap}, routes: {ports: "
        + "[{id: d, input: m, output: s, loopback: l}, "
        + "{id: e, input: m, output: s, reference_channel_map: [3]}]}}",
      "audio.reference", "loopback or reference_channel_map"
    ),
    (
      "{audio: {reference: reports}, "
        + "routes: {ports: [{id: d, input: m, output: s, reference_channel_map: [3]}]}}",
      "reference_channel_map of port d", "reference: reports"
    ),
    (
      "{session: {share: /tmp/t}, "
        + "routes: {ports: [{id: d, input: m, output: s, reference_channel_map: [3]}]}}",
      "reference_channel_map of port d", "session.share"
    ),
    (
      "{audio: {reference: desktop}, "
        + "routes: {ports: [{id: d, input: m, output: s, reference_channel_map: [3]}]}}",
      "audio.reference", "a reference of its own"
    ),
    (
      "{audio: {reference: 'alsa:p'}, routes: {ports: "
        + "[{id: d, input: m, output: s, loopback: l}, "
        + "{id: e, input: m, output: s, headphones: true}, {id: f, input: m}]}}",
      "audio.reference", "a reference of its own"
    ),
    (
      "{audio: {reference: 'alsa:p'}, session: {share: /tmp/t}}", "audio.reference",
      "on the server with session.share"
    ),
    (
      "{audio: {output_channels: 1}, session: {config: {spatial_audio: {enabled: true}}}}",
      "spatial_audio", "output_channels: 1"
    ),
    ("session: {config: {spatial_audio: {enabled: true}}}", "spatial_audio", "headphones"),
    (
      "session: {config: {other_audio_ducking: {level: LEVEL_MAX}}}", "other_audio_ducking",
      "without programs.other_audio"
    ),
    (
      "session: {config: {voice_activity_detection: {far_end_enabled: true}}}", "far_end_enabled",
      "without programs.far_end"
    ),
  ])
  func aSettingWithoutEffectIsNamedWithTheReason(
    text: String, key: String, reason: String
  ) throws {
    let warnings = try warnings(text)
    #expect(warnings.count == 1, "\(warnings)")
    let line = try #require(warnings.first)
    #expect(line.contains("edge.yaml:1") && line.contains(key) && line.contains(reason), "\(line)")
    #expect(line.contains("has no effect") && !line.contains("\n"))
  }

  @Test(arguments: [
    "", "audio: {reference: 'alsa:p'}", "audio: {reference: tap}",
    "routing: {call: automatic}", "keys: {ring: none}",
    "programs: {far_end: 'fifo:/f', far_end_channels: 2}",
    "programs: {desktop: auto, session_bus: 'unix:path=/b', desktop_memory: /tmp/x}",
    "{audio: {input_channels: 2}, routes: {ports: [{id: d, input: m, pattern: stereo}]}}",
    "{mute: {keys: [bluez]}, keys: {play_pause: command, command: 'true'}}",
    "injection: {command: 'true', remember: true}",
    "{audio: {input_channels: 2}, routes: {ports: [{id: d, input: m, microphone_spacing: 30}]}}",
    "programs: {far_ends: [{id: alice, gain_db: -6}]}",
    "{programs: {far_ends: [{id: alice, azimuth_degrees: 45}]}, "
      + "routes: {ports: [{id: d, output: s, headphones: true}]}, "
      + "session: {config: {spatial_audio: {enabled: true}}}}",
  ])
  func aSettingWithAnEffectIsNotNamed(text: String) throws {
    #expect(try warnings(text) == [])
  }

  @Test func anAgentThatOnlyPlaysNamesTheSettingsOfAMicrophone() throws {
    let warnings = try warnings(
      """
      session: {join: /tmp/ticket}
      mute: {start_muted: true}
      audio: {volume_db: -6}
      fallback: full
      """)
    #expect(warnings.count == 2, "\(warnings)")
    #expect(warnings.allSatisfy { $0.contains("with session.join") })
  }

  @Test func aFlagIsNamedAsAFlag() throws {
    let line = try #require(try warnings("", flags: ["routing.group": "g"]).first)
    #expect(line.hasPrefix("--routing-group: has no effect"), "\(line)")
  }

  @Test func aFileIsToldOnceThatDefaultsHaveChanged() throws {
    let folder = try Folder()
    let changed = ChangedDefaults(path: folder.path("told.json"))
    func note(_ text: String, _ file: String) throws -> String? {
      changed.note(try EdgeConfiguration.read(text, file: file), file: file)
    }
    let text = "{programs: {voice: 'fifo:/v'}, microphone: {open: always}}"
    let line = try #require(try note(text, "/etc/edge.yaml"))
    #expect(line.hasSuffix("This is said once"))
    #expect(line.contains("calls.begin: always") && line.contains("mute.muted_audio: sent"))
    #expect(!line.contains("microphone.open") && !line.contains("routing.call"))
    #expect(try note(text, "/etc/edge.yaml") == nil)
    #expect(try note(text, "/etc/other.yaml") != nil)
    #expect(
      try note("{microphone: {open: always}, mute: {muted_audio: sent}}", "/etc/a.yaml") == nil)
  }

  @Test func aNoteThatCannotBeRememberedDoesNotClaimToBeTheOnlyOne() throws {
    let folder = try Folder()
    try "".write(toFile: folder.path("file"), atomically: true, encoding: .utf8)
    let changed = ChangedDefaults(path: folder.path("file/told.json"))
    let settings = try EdgeConfiguration.read("", file: "/etc/edge.yaml")
    for _ in 0..<2 {
      let line = try #require(changed.note(settings, file: "/etc/edge.yaml"))
      #expect(!line.contains("once"), "\(line)")
    }
  }
}
