import AudioCore
import AudioFiles
import Foundation
import TestAudio
import Testing

/// The call options of `anechoic process`: far end, other audio, mute and controls.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CallTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeCall()
    try folder.writeCall("music.wav", "far-end.wav", rate: .hz24000)
  }

  @Test func thePlaybackHasTheFarEndsFormatOrTheMicrophones() async throws {
    _ = try await process(["--far-end", "far-end.wav", "--playback", "played.wav"])
    #expect(try AudioFileReader(path: folder.path("played.wav")).format.rate == .hz24000)
    #expect(try folder.sampleCount("played.wav") == 48_120)
    #expect(try folder.sampleCount("out.wav") == 32_080)
    _ = try await process(["--other-audio", "music.wav", "--playback", "played.flac"])
    #expect(try AudioFileReader(path: folder.path("played.flac")).format.rate == .hz16000)
    #expect(try folder.sampleCount("played.flac") == 32_080)
  }

  @Test func everyPlaybackOptionChangesThePlayback() async throws {
    let options: [[String]] = [
      [], ["--ducking", "min"], ["--ducking", "mid"], ["--ducking", "max"],
      ["--advanced-ducking", "--ducking", "max"],
      ["--far-end", "far-end.wav"],
    ]
    var playbacks: [Data: [String]] = [:]
    for option in options {
      _ = try await process(["--other-audio", "music.wav", "--playback", "played.wav"] + option)
      let playback = try folder.data("played.wav")
      #expect(playbacks[playback] == nil, "\(option) is as \(playbacks[playback] ?? [])")
      playbacks[playback] = option
    }
  }

  @Test func aMutedMicrophoneIsSilentAndTheSummaryShowsIt() async throws {
    let errors = try await process(["--muted", "--frames", "frames.jsonl"])
    let samples = try AudioFileReader(path: folder.path("out.wav")).read(samples: 40_000)
    #expect(samples.count == 64_160 && samples.allSatisfy { $0 == 0 })
    #expect(errors.contains("muted           2.01 s\n") && !errors.contains("other audio"))
    #expect(errors.contains("echo reduction  not possible: "))
    #expect(try folder.jsonLines("frames.jsonl").allSatisfy { $0["muted"] as? Bool == true })
  }

  @Test(arguments: [
    ([], " dB wherever the far end plays"),
    (["--muted"], "not measured: the session was muted whenever the far end played"),
  ])
  func theSummarySaysWhyNoReductionWasMeasured(options: [String], words: String) async throws {
    let farEnd = Signals.babble(6 * 16_000, rate: .hz16000, seed: 3)
    let format = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)
    for (name, plane) in [
      ("reference.wav", farEnd),
      ("microphone.wav", Signals.echo(of: farEnd, delay: 640, gain: 0.5)),
    ] {
      try AudioFileWriter(path: folder.path(name), format: format).write(encode([plane], .s16))
    }
    let errors = try await process(["--reference", "reference.wav"] + options)
    #expect(errors.contains("echo reduction  ") && errors.contains("\(words)\n"), "\(errors)")
  }

  @Test(arguments: ["media-clock", "real-time"])
  func controlsApplyAtTheirTimesAndRefusalsAreReported(pacing: String) async throws {
    try folder.write(
      Data(
        """
        {"at": 1.5, "set_mute": {"muted": false}}

        {"at": 0.5, "setMute": {"muted": true}}
        {"at": 1, "update_config": {"config": {"preferredMicMode": "MIC_MODE_WIDE_SPECTRUM"}, \
        "updateMask": "preferredMicMode"}}
        {"at": 1, "set_mute": {"muted": true, "if_generation": 7}}
        {"at": 0, "clear_playback": {}}
        {"at": 60, "clear_playback": {}}
        """.replacing("\n", with: pacing == "real-time" ? "\r\n" : "\n").utf8), "controls.jsonl")
    let errors = try await process(
      [
        "--controls", "controls.jsonl", "--events", "events.jsonl", "--frames", "frames.jsonl",
        "--playback", "played.wav", "--pacing", pacing,
      ], status: 2)
    #expect(
      errors.hasSuffix(
        "\nanechoic: controls.jsonl: 2 controls were refused, the first of them in line 5\n"))
    #expect(
      try AudioFileReader(path: folder.path("out.wav")).read(samples: 40_000).count == 64_160)
    let events = try folder.jsonLines("events.jsonl")
    let results = events.compactMap { $0["controlResult"] as? [String: Any] }
    #expect(results.map { $0["controlId"] as? Int } == [6, 3, 4, 5, 1, 7])
    let samples = results.dropLast().map { $0["appliedAtSample"] as? Int ?? 0 }
    #expect(samples == [0, 8000, 16000, 16000, 24000])
    #expect(results.map { $0["refusal"] != nil } == [false, false, false, true, false, true])
    for refusal in ["5: refused: ABORTED", "7: refused: FAILED_PRECONDITION"] {
      #expect(errors.contains("anechoic: controls.jsonl:\(refusal): "), "\(errors)")
    }
    #expect(
      events.contains { $0["micModeChanged", "active"] as? String == "MIC_MODE_WIDE_SPECTRUM" })
    let muted = try folder.jsonLines("frames.jsonl").count { $0["muted"] as? Bool == true }
    #expect((99...102).contains(muted) && errors.contains("muted           "))
  }

  @Test func aFewOfManyRefusalsAreShown() async throws {
    let lines = (0..<40).map { _ in #"{"at": 1, "set_mute": {"muted": true, "if_generation": 7}}"# }
    try folder.write(Data(lines.joined(separator: "\n").utf8), "controls.jsonl")
    let errors = try await process(["--controls", "controls.jsonl"], status: 2)
    #expect(errors.components(separatedBy: "refused: ABORTED").count == 11, "\(errors)")
    #expect(errors.contains("anechoic: 30 more controls were refused\n"), "\(errors)")
    #expect(errors.contains("40 controls were refused, the first of them in line 1\n"))
  }

  @Test func controlsMayComeThroughAPipe() async throws {
    let path = folder.path("controls")
    mkfifo(path, 0o600)
    Thread.detachNewThread {
      FileHandle(forWritingAtPath: path)?.write(
        Data(#"{"at": 0, "set_mute": {"muted": true}}"#.utf8))
    }
    let errors = try await process(["--controls", "controls"])
    #expect(errors.contains("muted           2.01 s\n"), "\(errors)")
  }

  @Test func anInputThatIsRefusedLeavesNoOutput() async throws {
    let format = AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 1)
    try AudioFileWriter(path: folder.path("nan.wav"), format: format)
      .write(encode([Signals.silence(16_000) + [.nan] + Signals.silence(16_000)], .f32))
    let result = try await Command.run(
      "anechoic",
      ["process", "--microphone", "nan.wav", "--output", "clean.wav", "--raw", "raw.wav"],
      in: folder)
    #expect(result.status == 2 && result.errorLines.last?.contains("not a finite number") == true)
    for name in ["clean.wav", "raw.wav"] {
      #expect(!FileManager.default.fileExists(atPath: folder.path(name)))
    }
  }

  @Test(arguments: [
    "nonsense", "[]", "{}", #"{"at": 1}"#, #"{"set_mute": {}}"#, #"{"at": true, "set_mute": {}}"#,
    #"{"at": -1, "set_mute": {}}"#, #"{"at": "1", "set_mute": {}}"#,
    #"{"at": 1, "set_mute": {"mutd": true}}"#, #"{"at": 1, "set_mute": {"muted": "yes"}}"#,
    #"{"at": 1, "set_mute": {}, "clear_playback": {}}"#, #"{"at": 1, "nonsense": {}}"#,
    #"{"at": 1, "at_sample": 1, "set_mute": {}}"#, #"{"at": 1, "controlId": 1, "set_mute": {}}"#,
    #"{"at": 1, "update_config": {"config": {"preferredMicMode": "LOUD"}}}"#,
    #"{"at": 1, "device_report": {"route": {}}}"#,
    #"{"at": 1, "device_report": {}, "set_mute": {}}"#,
    #"{"at": 1, "deviceReport": {"interruption": {"reason": "TIRED"}}}"#,
  ])
  func aMalformedControlIsReportedWithItsLine(line: String) async throws {
    try folder.write(
      Data("{\"at\": 1, \"set_mute\": {}}\n\(line)\n".utf8), "controls.jsonl")
    let result = try await Command.run(
      "anechoic", arguments + ["--controls", "controls.jsonl"], in: folder)
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.hasPrefix("anechoic: controls.jsonl:2: "), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.wav")))
  }

  @Test(arguments: [
    ["--ducking", "loud"], ["--label", "x"], ["--gesture-policy", "maybe"],
    ["--grant-injection", "sometimes"], ["--client", ""],
  ])
  func wrongUsageIsReported(options: [String]) async throws {
    let result = try await Command.run("anechoic", arguments + options, in: folder)
    #expect(result.status == 64 && result.errors.contains("Usage: "), "\(result.errors)")
  }

  private let arguments = ["process", "--microphone", "microphone.wav", "--output", "out.wav"]

  /// Processes with these options. Returns the text on standard error.
  private func process(_ options: [String], status: Int32 = 0) async throws -> String {
    let result = try await Command.run("anechoic", arguments + options, in: folder)
    try #require(result.status == status, "\(options): \(result.errors)")
    return result.errors
  }
}
