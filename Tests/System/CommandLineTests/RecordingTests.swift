import Foundation
import Testing

/// `anechoic record`, `anechoic process --record` and `anechoic replay`.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RecordingTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeCall()
  }

  @Test func oneCommandProcessesAndRecordsAndAnotherRepeatsTheOutput() async throws {
    let job = try await process(["--playback", "played.wav", "--far-end", "reference.wav"])
    #expect(job.status == 0, "\(job.errors)")
    let replay = try await anechoic(
      "replay", "call.rec", "--processed", "again.wav", "--playback", "played again.wav",
      "--events", "events.jsonl", "--json")
    #expect(replay.status == 0 && replay.errors.isEmpty, "\(replay.errors)")
    #expect(try folder.data("again.wav") == folder.data("voice.wav"))
    #expect(try folder.data("played again.wav") == folder.data("played.wav"))
    let summary = try object(replay)
    #expect(summary["same"] as? Bool == true && summary["frames"] as? Int == 201)
    #expect(try await summary["processedSha256"] as? String == sha256(ofSamplesIn: "voice.wav"))
    #expect(try await summary["playbackSha256"] as? String == sha256(ofSamplesIn: "played.wav"))
    #expect(try folder.jsonLines("events.jsonl").last?["sessionEnded"] != nil)
    let text = try await anechoic("replay", "call.rec").text
    #expect(text.contains("same            as recorded, to 2.0"), "\(text)")
    #expect(text.contains("201 frames"), "\(text)")
  }

  @Test func aSessionIsRecordedFromAnotherProcess() async throws {
    let server = try await ServerProcess(in: folder, options: ["--allow-recording"])
    let recorder = try Command(
      "anechoic", ["record", "call-1", "call.rec", "--server", server.address], in: folder)
    try await recorder.line(containing: "waiting for sessions/call-1")
    let job = try await anechoic(
      "process", "--microphone", "microphone.wav", "--output", "voice.wav", "--session-id",
      "call-1", "--server", server.address)
    #expect(job.status == 0, "\(job.errors)")
    let recorded = try await recorder.wait()
    #expect(recorded.status == 0 && recorded.errorLines.count == 2, "\(recorded.errors)")
    let size = try folder.data("call.rec").count
    #expect(
      recorded.errors.contains(
        "call.rec: the recording of sessions/call-1 is complete, \(size) bytes"))
    let replay = try await anechoic("replay", "call.rec", "--processed", "again.wav")
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(try folder.data("again.wav") == folder.data("voice.wav"))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalKeepsTheRecordingSoFar(signal: Int32) async throws {
    let server = try await ServerProcess(in: folder, options: ["--allow-recording"])
    let recorder = try Command(
      "anechoic", ["record", "call-1", "call.rec", "--server", server.address], in: folder)
    try await recorder.line(containing: "waiting for ")
    try folder.writeCall("long.wav", "far.wav", milliseconds: 20_000)
    let job = try Command(
      "anechoic",
      [
        "process", "--microphone", "long.wav", "--output", "voice.wav", "--session-id", "call-1",
        "--pacing", "real-time", "--server", server.address,
      ], in: folder)
    let limit = ContinuousClock.now + .seconds(10)
    while try folder.data("call.rec").count < 10_000 {
      try #require(ContinuousClock.now < limit)
      try await Task.sleep(for: .milliseconds(10))
    }
    recorder.signal(signal)
    let result = try await recorder.wait()
    #expect(result.status == 130 && !result.wasSignalled, "\(result.errors)")
    #expect(result.errorLines.last?.contains("call.rec: stopped before") == true)
    job.signal(SIGKILL)
    let replay = try await anechoic("replay", "call.rec", "--json")
    #expect(replay.status == 2 && replay.errors.hasSuffix("call.rec: is cut off\n"))
    #expect(try object(replay)["same"] as? Bool == true)
    #expect(try object(replay)["frames"] as? Int ?? 0 > 10)
  }

  @Test func anExistingFileIsReplacedOnlyOnRequest() async throws {
    let server = try await ServerProcess(in: folder, options: ["--allow-recording"])
    let before = try folder.data("reference.wav")
    let target = ["--wait", "0.1", "--server", server.address]
    let refused = try await Command.run(
      "anechoic", ["record", "call-1", "reference.wav"] + target, in: folder)
    #expect(refused.status == 2 && refused.errorLines.count == 1)
    #expect(
      refused.errors.contains("reference.wav: the file exists; use --force"), "\(refused.errors)")
    // No session has started, so the existing file stays and no new file remains.
    for name in ["reference.wav", "new.rec"] {
      let vain = try await Command.run(
        "anechoic", ["record", "call-1", name, "--force"] + target, in: folder)
      #expect(vain.status == 2 && vain.errors.contains("NOT_FOUND"), "\(vain.errors)")
    }
    #expect(try folder.data("reference.wav") == before)
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.rec")))
  }

  @Test func aServerThatDoesNotAllowRecordingIsReported() async throws {
    let server = try await ServerProcess(in: folder)
    for arguments in [
      ["record", "call-1", "call.rec"],
      [
        "process", "--microphone", "microphone.wav", "--output", "voice.wav", "--record",
        "call.rec",
      ],
    ] {
      let result = try await Command.run(
        "anechoic", arguments + ["--server", server.address], in: folder)
      #expect(result.status == 2 && result.errors.contains("PERMISSION_DENIED"))
      #expect(result.errorLines.last?.contains("--allow-recording") == true, "\(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("call.rec")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("voice.wav")))
  }

  @Test func theLinesOfTheDocumentationRecordASession() async throws {
    let socket = "unix:\(folder.path("socket"))"
    let tool = Command.path("anechoic")
    let lines = """
      \(Command.path("anechoic-server")) --allow-recording --listen \(socket) &
      server=$!
      \(tool) record call-1 call.rec --background --server \(socket) || exit 1
      \(tool) process --server \(socket) --session-id call-1 \\
        --microphone microphone.wav --output voice.wav || exit 1
      kill $server
      wait $server
      """
    let result = try await Command.run("/bin/sh", ["-c", lines], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    // The background process writes the end of the recording later.
    let limit = ContinuousClock.now + .seconds(10)
    while try await anechoic("replay", "call.rec").status != 0 {
      try #require(ContinuousClock.now < limit)
    }
  }

  @Test func aBackgroundRecorderReportsThatItCannotRecord() async throws {
    let server = try await ServerProcess(in: folder)
    let result = try await anechoic(
      "record", "call-1", "call.rec", "--background", "--server", server.address)
    #expect(result.status == 2 && result.errors.contains("PERMISSION_DENIED"), "\(result.errors)")
    #expect(result.errorLines.count == 1)
  }

  @Test func damagedRecordingsAreReportedInOneLine() async throws {
    #expect(try await process().status == 0)
    let whole = try folder.data("call.rec")
    try folder.write(Data(), "empty.rec")
    try folder.write(whole.prefix(whole.count / 2), "cut.rec")
    try folder.write(Data("anechoic recording 2\n".utf8) + whole.dropFirst(21), "newer.rec")
    try folder.write(whole.prefix(21) + Data(repeating: 0xFF, count: 5000), "damaged.rec")
    #expect(mkfifo(folder.path("fifo.rec"), 0o600) == 0)
    for (name, problem) in [
      ("missing.rec", "no such file"), ("empty.rec", "not a recording"),
      ("microphone.wav", "not a recording"), ("cut.rec", "cut off"),
      ("newer.rec", "another version"), ("damaged.rec", "is damaged"), (".", "not a regular file"),
      ("fifo.rec", "not a regular file"),
    ] {
      let result = try await anechoic("replay", name)
      #expect(result.status == 2 && result.errorLines.count == 1, "\(name): \(result.errors)")
      #expect(
        result.errors.hasPrefix("anechoic: \(name): ") && result.errors.contains(problem),
        "\(result.errors)")
    }
  }

  @Test func anotherSampleAndAnotherEngineAreNoticed() async throws {
    #expect(try await process().status == 0)
    let whole = try folder.data("call.rec")
    let samples = try folder.data("microphone.wav").dropFirst(44 + 2 * 20_000).prefix(64)
    let place = try #require(whole.firstRange(of: samples))
    var other = whole
    other.replaceSubrange(place, with: [UInt8](repeating: 0x3F, count: place.count))
    try folder.write(other, "other.rec")
    let changed = try await anechoic("replay", "other.rec", "--json")
    #expect(changed.status == 1 && changed.errors.isEmpty, "\(changed.errors)")
    let summary = try object(changed)
    #expect(summary["same"] as? Bool == false && summary["sameToSample"] as? Int == 16_000)
    #expect(summary["differsBySample"] as? Int == 32_000)
    let text = try await anechoic("replay", "other.rec").text
    #expect(text.contains("DIFFERENT       between 1.00 s and 2.00 s\n"), "\(text)")

    let engine = try #require(summary["engine"] as? String).prefix { $0 != " " }
    func replay(namedInstead name: String) async throws -> Command.Result {
      let place = try #require(whole.firstRange(of: Data(engine.utf8)))
      try folder.write(
        whole[..<place.lowerBound] + Data(name.utf8) + whole[place.upperBound...], "foreign.rec")
      let result = try await anechoic("replay", "foreign.rec", "--json")
      #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains(name), "\(result.errors)")
      return result
    }
    let otherVersion = try await replay(namedInstead: String(engine.dropLast()) + "~")
    #expect(otherVersion.errors.contains("only with the same engine"))
    #expect(try object(otherVersion)["same"] as? Bool == true)
    let unknown = try await replay(namedInstead: "x" + engine.dropFirst())
    #expect(unknown.errors.contains("which this program does not have") && unknown.text.isEmpty)
  }

  @Test(arguments: [
    ["record", "call-1"], ["record", "call-1", "x.rec", "--wait", "0"],
    ["record", "sessions/", "x.rec"], ["replay"], ["replay", "x.rec", "--nonsense"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic", arguments, in: folder)
    #expect(result.status == 64 && result.errors.contains("Usage: "), "\(result.errors)")
  }

  @Test func noInputIsLost() async throws {
    #expect(try await process().status == 0)
    let before = try folder.data("call.rec")
    for arguments in [
      ["replay", "call.rec", "--processed", "call.rec"],
      ["replay", "call.rec", "--events", "./call.rec"],
      ["process", "--microphone", "call.rec", "--output", "out.wav", "--record", "call.rec"],
    ] {
      let result = try await Command.run("anechoic", arguments, in: folder)
      #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    }
    #expect(try folder.data("call.rec") == before)
  }

  private func process(_ options: [String] = []) async throws -> Command.Result {
    try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "voice.wav", "--record",
        "call.rec",
      ] + options, in: folder)
  }

  private func anechoic(_ arguments: String...) async throws -> Command.Result {
    try await Command.run("anechoic", arguments, in: folder)
  }

  private func object(_ result: Command.Result) throws -> [String: Any] {
    try #require(
      JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.text)")
  }

  /// Returns the digest of the samples in a WAV file, computed by `sha256sum`.
  private func sha256(ofSamplesIn name: String) async throws -> String {
    try folder.write(folder.data(name).dropFirst(44), "samples")
    let result = try await Command.run("/usr/bin/sha256sum", ["samples"], in: folder)
    return String(result.text.prefix(64))
  }
}
