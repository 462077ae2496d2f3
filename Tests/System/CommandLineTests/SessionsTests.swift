import Foundation
import Testing

/// `anechoic sessions`, with a running session.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SessionsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func aSessionIsListedAndShown() async throws {
    let call = try await LiveCall(in: folder, ["--label", "room=hall", "--label", "note=a=b"])
    for session in [
      try await call.json("sessions", "list"), try await call.json("sessions", "show", "call-1"),
      try await call.json("sessions", "show", "sessions/call-1"),
    ] {
      #expect(session["name"] as? String == "sessions/call-1")
      #expect(session["owner"] as? String == "media")
      #expect(session["labels"] as? [String: String] == ["room": "hall", "note": "a=b"])
    }
    let list = try await call.run("sessions", "list")
    #expect(list.text.hasPrefix("sessions/call-1") && list.text.contains("room=hall"))
    let page = try await call.run("sessions", "show", "call-1")
    #expect(page.text.contains("media") && page.text.contains("noise suppression moderate"))
    #expect(
      page.text.contains("echo cancellation moderate, without effect: the session has no reference")
    )
    try await call.end()
    let empty = try await call.run("sessions", "list")
    #expect(empty.status == 0 && empty.output.isEmpty && empty.errorLines.count == 1)
  }

  @Test func everyChangeOfASessionIsWatchedUntilItsEnd() async throws {
    let call = try await LiveCall(in: folder)
    let watch = try call.start(["sessions", "watch", "call-1", "--from", "1", "--json"])
    let page = try call.start(["sessions", "watch", "call-1", "--stats", "0.1"])
    let muted = try await call.json(
      "sessions", "mute", "call-1", "--if-generation", "0", "--client", "olga")
    #expect(muted["muted"] as? Bool == true && muted["generation"] as? Int == 1)
    #expect(muted["actor"] as? String == "olga")
    let late = try await call.run("sessions", "mute", "call-1", "--if-generation", "0")
    #expect(late.status == 2 && late.errorLines.count == 1 && late.errors.contains("ABORTED"))
    #expect(try await call.run("sessions", "unmute", "call-1").text.hasPrefix("live by "))
    for _ in 1...2 {  // The second report is the same press.
      let press = try await call.json("sessions", "gesture", "call-1", "--id", "press-1")
      #expect(press["outcome"] as? String == "MUTE_GESTURE_OUTCOME_APPLIED")
      #expect(press["state", "generation"] as? Int == 3 && press["state", "muted"] as? Bool == true)
    }
    let unmute = try await call.run("sessions", "gesture", "call-1", "--unmute")
    #expect(unmute.text.hasPrefix("applied: live by ") && unmute.text.contains("generation 4"))
    try await call.end()

    let media = try await call.media.wait()
    #expect(media.status == 2 && media.errorLines.count == 1 && media.errors.contains("olga"))
    let watched = try await watch.wait()
    #expect(watched.status == 0 && watched.errors.isEmpty, "\(watched.errors)")
    try folder.write(watched.output, "watched.jsonl")
    let items = try folder.jsonLines("watched.jsonl")
    #expect(items.first?["snapshot", "name"] as? String == "sessions/call-1")
    let ids = items.dropFirst().map { $0["event", "eventId"] as? Int }
    #expect(ids == Array(1..<ids.count + 1))
    #expect(items.compactMap { $0["event", "muteChanged"] }.count == 4)
    #expect(items.last?["event", "sessionEnded", "reason"] as? String == "REASON_DELETED")
    let words = try await page.wait()
    #expect(words.status == 0 && words.text.contains("ended: deleted"), "\(words.text)")
    #expect(words.text.contains("microphone -") && words.text.contains("muted by olga"))
  }

  @Test func theSampleOfAChangeIsPrinted() async throws {
    let call = try await LiveCall(in: folder)
    // On a busy machine the sample may have passed when the command asks.
    let muted = try await call.json("sessions", "mute", "call-1", "--at-sample", "24123")
    #expect(muted["muted"] as? Bool == true && muted["appliedAtSample"] as? Int ?? 0 >= 24_123)
    let unmuted = try await call.run("sessions", "unmute", "call-1")
    #expect(unmuted.text.contains(/generation 2, from sample \d+\n/), "\(unmuted.text)")
    let mode = "preferred_mic_mode=WIDE_SPECTRUM"
    let changed = try await call.run("sessions", "set", "call-1", mode)
    #expect(changed.text.contains(/changed       at sample \d+\n/), "\(changed.text)")
    let label = try await call.json("sessions", "set", "call-1", "labels.room=hall")
    #expect(label["name"] as? String == "sessions/call-1" && label["appliedAtSample"] == nil)
    try await call.end()
  }

  @Test func aReaderThatEndsEndsTheCommandWithSuccess() async throws {
    let call = try await LiveCall(in: folder)
    let watch = "sessions watch call-1 --stats 0.1 --server \(call.server.address)"
    let result = try await Command.run(
      "/bin/bash",
      ["-c", "\(Command.path("anechoic")) \(watch) | head -2; echo ${PIPESTATUS[0]} >&2"],
      in: folder)
    #expect(result.errors == "0\n", "\(result.errors)")
    try await call.end()
  }

  @Test func theRemovalOfTheEchoIsWatched() async throws {
    let call = try await LiveCall(in: folder, ["--reference", "far.wav"])
    try await call.waitForEvent("\"converged\":true")
    let watch = try call.start(["sessions", "watch", "call-1", "--from", "1"])
    try await watch.line(containing: "behind the reference, and is removed", inOutput: true)
    try await watch.line(containing: "behind the reference, not removed yet", inOutput: true)
    try await call.end()
  }

  @Test func everyKindOfFieldIsSetAndClearedAndTheOthersStay() async throws {
    let call = try await LiveCall(in: folder, ["--label", "room=hall", "--label", "floor=2"])
    var session = try await call.json(
      "sessions", "set", "call-1", "preferred_mic_mode=VOICE_ISOLATION",
      "other_audio_ducking.level=LEVEL_MAX", "other_audio_ducking.advanced_ducking_enabled=true",
      "config.voice_processing.noise_suppression.enabled=false", "mute.gesture_policy=ask",
      "mute.gesture_decision_timeout=2.5s", "voice_processing.gain_control.target_level_dbfs=9",
      "labels.room=kitchen", "labels.floor=", "labels.door=a=b")
    #expect(session["config", "preferredMicMode"] as? String == "MIC_MODE_VOICE_ISOLATION")
    #expect(session["config", "otherAudioDucking", "level"] as? String == "LEVEL_MAX")
    #expect(session["config", "otherAudioDucking", "advancedDuckingEnabled"] as? Bool == true)
    let processing = session["config", "voiceProcessing"] as? [String: Any] ?? [:]
    #expect(processing["noiseSuppression", "enabled"] == nil)
    #expect(processing["gainControl", "targetLevelDbfs"] as? Int == 9)
    #expect(session["config", "mute", "gesturePolicy"] as? String == "MUTE_GESTURE_POLICY_ASK")
    #expect(session["config", "mute", "gestureDecisionTimeout"] as? String == "2.500s")
    #expect(session["labels"] as? [String: String] == ["room": "kitchen", "door": "a=b"])
    session = try await call.json(
      "sessions", "set", "call-1", "voice_processing.noise_suppression=", "preferred_mic_mode=1")
    #expect(
      session["config", "voiceProcessing", "noiseSuppression", "level"] as? String
        == "LEVEL_MODERATE")
    #expect(session["config", "mute", "gesturePolicy"] as? String == "MUTE_GESTURE_POLICY_ASK")
    #expect(session["labels"] as? [String: String] == ["room": "kitchen", "door": "a=b"])
    let refused = try await call.run(
      "sessions", "set", "call-1", "spatial_audio.listener_profile=mine")
    #expect(refused.status == 2 && refused.errorLines.count == 1)
    #expect(refused.errors.contains("NOT_FOUND: session.config.spatial_audio.listener_profile"))
  }

  @Test(arguments: [
    "nonsense=1", "voice_processing.nonsense=1", "config.nonsense=", "preferred_mic_mode=LOUD",
    "mute.chime_disabled=maybe", "mute.gesture_decision_timeout=soon", "voice_processing=1",
    "voice_processing.gain_control.target_level_dbfs=-1", ".=1", "labels.=", "labels.=x",
  ])
  func anInvalidSettingIsReportedBeforeAnyServerIsAsked(field: String) async throws {
    let result = try await Command.run(
      "anechoic", ["sessions", "set", "call-1", field, "--server", "127.0.0.1:1"], in: folder)
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    let name = field.prefix { $0 != "=" }
    #expect(result.errors.hasPrefix("anechoic: \(name): "), "\(result.errors)")
  }

  @Test func theMediaClientDecidesAPress() async throws {
    try folder.write(
      Data(#"{"at": 5, "decide_mute_gesture": {"gesture_id": "press-1"}}"#.utf8), "controls.jsonl")
    let call = try await LiveCall(
      in: folder, ["--gesture-policy", "ask", "--controls", "controls.jsonl"])
    _ = try await call.json("sessions", "set", "call-1", "mute.gesture_decision_timeout=60s")
    let press = try await call.json("sessions", "gesture", "call-1", "--id", "press-1")
    #expect(press["outcome"] as? String == "MUTE_GESTURE_OUTCOME_REJECTED", "\(press)")
    _ = try await call.json("sessions", "set", "call-1", "mute.gesture_policy=ignore")
    let ignored = try await call.run("sessions", "gesture", "call-1")
    #expect(ignored.status == 0 && ignored.text.hasPrefix("ignored: live"), "\(ignored.text)")
  }

  private static let commands = [
    ["show"], ["watch"], ["mute"], ["unmute"], ["gesture"], ["set", "preferred_mic_mode=STANDARD"],
    ["set", "labels.room=hall"], ["delete"],
  ]

  @Test func anAbsentSessionOrServerIsReported() async throws {
    let server = try await ServerProcess(in: folder)
    for command in Self.commands {
      var arguments = ["sessions"] + command
      arguments.insert("nobody", at: 2)
      for (address, problem) in [(server.address, "NOT_FOUND"), ("127.0.0.1:1", "UNAVAILABLE")] {
        let result = try await Command.run(
          "anechoic", arguments + ["--server", address, "--connect-timeout", "0"], in: folder)
        #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
        #expect(result.errors.contains("\(address): \(problem)"), "\(result.errors)")
        #expect(result.output.isEmpty)
      }
    }
  }

  @Test(arguments: [
    ["mute"], ["mute", "a", "--if-generation", "x"], ["show", ""], ["show", "sessions/"],
    ["set", "a"], ["set", "a", "b"], ["set", "a", "=b"], ["watch", "a", "--stats", "0"],
    ["gesture", "a", "--mute", "--unmute"], ["list", "--client", ""], ["list", "--client", "ö"],
    ["nonsense"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic", ["sessions"] + arguments, in: folder)
    #expect(result.status == 64 && result.errors.contains("Usage: "), "\(result.errors)")
  }
}
