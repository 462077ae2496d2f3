import AudioCore
import AudioFiles
import Foundation
import TestAudio
import Testing

/// `anechoic process` on files.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ProcessTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeCall()
  }

  @Test(arguments: ["wav", "flac", "ogg"])
  func theOutputIsAsLongAsTheMicrophone(ending: String) async throws {
    try folder.writeCall("m.\(ending)", "r.\(ending)")
    let result = try await process("m.\(ending)", "out.\(ending)", ["--reference", "r.\(ending)"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.isEmpty && result.errors.contains("echo reduction"))
    #expect(try folder.sampleCount("out.\(ending)") == 32_080)
    #expect(try folder.sampleCount("m.\(ending)") == 32_080)
  }

  /// Standard output is WAV whose length is left open.
  @Test func theOutputMayBeStandardOutput() async throws {
    let file = try await process("microphone.wav", "out.wav", ["--reference", "reference.wav"])
    let pipe = try await process("microphone.wav", "-", ["--reference", "reference.wav"])
    #expect(file.status == 0 && pipe.status == 0, "\(pipe.errors)")
    #expect(pipe.errors.contains("echo reduction"))
    try folder.write(pipe.output, "piped.wav")
    let samples = try ["out.wav", "piped.wav"].map {
      try AudioFileReader(path: folder.path($0)).read(samples: 100_000)
    }
    #expect(samples[0].count == 64_160 && samples[0] == samples[1])
    for more in [["--events", "-"], ["--raw", "-"]] {
      let both = try await process("microphone.wav", "-", more)
      #expect(both.status == 64 && both.output.isEmpty, "\(both.errors)")
    }
    let inputs = try await process("-", "out.wav", ["--reference", "-"])
    #expect(inputs.status == 64 && inputs.errors.contains("can be -"), "\(inputs.errors)")
  }

  @Test func spatialMediaHasTwoChannels() async throws {
    let media = ["--other-audio", "reference.wav", "--playback", "played.wav"]
    let result = try await process(
      "microphone.wav", "out.wav", media + ["--spatial", "--headphones"])
    #expect(result.status == 0, "\(result.errors)")
    let played = try AudioFileReader(path: folder.path("played.wav"))
    #expect(played.format.channelCount == 2)
    let alone = try await process("microphone.wav", "out.wav", ["--spatial"])
    #expect(alone.status == 64 && alone.errors.contains("--spatial needs"), "\(alone.errors)")
    let both = try await process(
      "microphone.wav", "out.wav", ["--no-injection", "--grant-injection", "always"])
    #expect(both.status == 64 && both.errors.contains("excludes"), "\(both.errors)")
  }

  /// Two seconds of sound are not enough to learn a voice.
  @Test func aVoiceprintThatCannotBeLearntIsAFailure() async throws {
    try folder.write(Data("of an earlier voice".utf8), "me.voiceprint")
    let result = try await process(
      "microphone.wav", "out.wav", ["--save-voiceprint", "me.voiceprint"])
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("no voiceprint, so "), "\(result.errors)")
    #expect(result.errors.hasSuffix("3 s of one voice while nothing plays\n"), "\(result.errors)")
    #expect(try folder.sampleCount("out.wav") == 32_080)
    #expect(
      try String(contentsOfFile: folder.path("me.voiceprint"), encoding: .utf8)
        == "of an earlier voice")
    let output = try await process("microphone.wav", "out.wav", ["--save-voiceprint", "-"])
    #expect(output.status == 64 && output.errors.contains("takes a file"), "\(output.errors)")
  }

  @Test(arguments: SampleRate.allCases)
  func everyRateIsAccepted(rate: SampleRate) async throws {
    try folder.writeCall("m.wav", "r.wav", milliseconds: 500, rate: rate)
    let result = try await process("m.wav", "out.wav", ["--reference", "reference.wav"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.sampleCount("out.wav") == rate.hertz / 2)
  }

  @Test func theLogsAreJSONLines() async throws {
    let result = try await process(
      "microphone.wav", "out.wav",
      [
        "--reference", "reference.wav", "--events", "-", "--stats", "stats.jsonl", "--frames",
        "frames.jsonl",
      ])
    #expect(result.status == 0, "\(result.errors)")
    try folder.write(result.output, "events.jsonl")
    let events = try folder.jsonLines("events.jsonl")
    #expect(!events.isEmpty)
    #expect(events.map { $0["eventId"] as? Int } == Array(1..<events.count + 1))
    let end = events.last?["sessionEnded"] as? [String: Any]
    #expect(end?["reason"] as? String == "REASON_CLIENT_CLOSED")
    let stats = try folder.jsonLines("stats.jsonl")
    #expect(stats.count == 2 && stats.allSatisfy { $0["flow"] != nil && $0["levels"] != nil })
    let frames = try folder.jsonLines("frames.jsonl")
    #expect(frames.compactMap { $0["sample"] as? Int } == (0..<201).map { $0 * 160 })
  }

  @Test func aLogThatIsALinkIsWrittenToItsTarget() async throws {
    try folder.write(Data(), "target.jsonl")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.jsonl"), withDestinationPath: folder.path("target.jsonl"))
    let result = try await process("microphone.wav", "out.wav", ["--events", "link.jsonl"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try !folder.jsonLines("target.jsonl").isEmpty)
  }

  @Test func everyOptionChangesTheOutput() async throws {
    let voice = Signals.vowels(32_080, rate: .hz16000, amplitude: 0.1)
    // Loud enough for all limits on its suppression.
    let noise = Signals.noise(32_080, amplitude: 0.1)
    try folder.writeCall(nearEnd: zip(voice, noise).map { $0 + $1 })
    let options: [[String]] = [
      [], ["--mic-mode", "voice-isolation"], ["--mic-mode", "wide-spectrum"],
      ["--no-echo-cancellation"], ["--noise-suppression", "off"], ["--noise-suppression", "low"],
      ["--noise-suppression", "high"], ["--noise-suppression", "very-high"],
    ]
    var outputs: [Data: [String]] = [:]
    for option in options {
      let output = try await bytes(option)
      #expect(outputs[output] == nil, "\(option) is as \(outputs[output] ?? [])")
      outputs[output] = option
    }
    // Setting a mode's own values changes nothing. Neither does a second run.
    let plain = try await bytes([])
    for option in [["--mic-mode", "standard"], ["--noise-suppression", "moderate"]] {
      #expect(try await bytes(option) == plain, "\(option)")
    }
  }

  @Test func gainControlChangesALoudVoice() async throws {
    try folder.writeCall(nearEnd: Signals.vowels(32_080, rate: .hz16000, amplitude: 0.4))
    #expect(try await bytes([]) != bytes(["--gain-control", "off"]))
  }

  @Test func aSeparateServerProducesTheSameOutput() async throws {
    let inside = try await bytes([])
    for address in ["127.0.0.1:0", "unix:\(folder.path("socket"))"] {
      let server = try await ServerProcess(in: folder, listening: address)
      #expect(try await bytes(["--server", server.address]) == inside)
      #expect(try await bytes(["--server", server.address]) == inside)
    }
  }

  @Test func realTimeTakesItsTimeAndProducesTheSameOutput() async throws {
    let plain = try await bytes([])
    let began = ContinuousClock.now
    #expect(try await bytes(["--pacing", "real-time"]) == plain)
    #expect(ContinuousClock.now - began > .milliseconds(1900))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aLoopRepeatsTheFilesWithoutAGapUntilASignal(signal: Int32) async throws {
    try folder.writeCall("m.wav", "r16.wav", milliseconds: 505)
    try folder.writeCall("m24.wav", "r.wav", milliseconds: 505, rate: .hz24000)
    for name in ["m.wav", "r.wav"] { try repeatSamples(of: name, times: 4, as: "four-\(name)") }
    let loop = try Command(
      "anechoic",
      [
        "process", "--microphone", "m.wav", "--reference", "r.wav", "--output", "out.wav", "--loop",
        "--pacing", "real-time",
      ], in: folder)
    // The output has three times the length of the file, which has 8,080 samples of 2 bytes.
    let limit = ContinuousClock.now + .seconds(20)
    while ((try? folder.data("out.wav").count) ?? 0) < 3 * 16_160 {
      try #require(ContinuousClock.now < limit)
      try await Task.sleep(for: .milliseconds(10))
    }
    loop.signal(signal)
    let result = try await loop.wait()
    #expect(result.status == 0 && !result.wasSignalled, "\(result.errors)")
    #expect(result.errors.contains("duration") && !result.errors.contains("warning"))
    let once = try await process("four-m.wav", "four.wav", ["--reference", "four-r.wav"])
    #expect(once.status == 0, "\(once.errors)")
    let common = min(try folder.data("four.wav").count, try folder.data("out.wav").count) - 1000
    #expect(common > 3 * 16_160 - 1000)
    #expect(
      try folder.data("four.wav")[44..<common] == folder.data("out.wav")[44..<common])
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsTheOutputsWhereTheJobWasStopped(signal: Int32) async throws {
    try folder.writeCall("m.wav", "f.wav", milliseconds: 20_000)
    let job = try Command(
      "anechoic",
      [
        "process", "--microphone", "m.wav", "--far-end", "f.wav", "--output", "out.wav",
        "--playback", "played.wav", "--pacing", "real-time",
      ], in: folder)
    let limit = ContinuousClock.now + .seconds(20)
    while ((try? folder.data("out.wav").count) ?? 0) < 16_000 {
      try #require(ContinuousClock.now < limit)
      try await Task.sleep(for: .milliseconds(10))
    }
    job.signal(signal)
    let result = try await job.wait()
    #expect(result.status == 130 && !result.wasSignalled)
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.hasPrefix("anechoic: stopped after "), "\(result.errors)")
    #expect(result.errors.hasSuffix(" s of 20.00 s; out.wav and played.wav are incomplete\n"))
    let counts = try ["out.wav", "played.wav"].map { try folder.sampleCount($0) }
    #expect(counts[0] == counts[1] && (8000..<320_000).contains(counts[0]), "\(counts)")
  }

  /// Writes the samples of a WAV file several times.
  private func repeatSamples(of name: String, times: Int, as copy: String) throws {
    let reader = try AudioFileReader(path: folder.path(name))
    let samples = try reader.read(samples: reader.sampleCount)
    let writer = try AudioFileWriter(path: folder.path(copy), format: reader.format)
    for _ in 0..<times { try writer.write(samples) }
  }

  @Test func aReferenceThatEndsTooSoonIsReportedAtTheStartAndInTheSummary() async throws {
    try folder.writeCall("m.wav", "short.wav", milliseconds: 1000)
    let result = try await process("microphone.wav", "out.wav", ["--reference", "short.wav"])
    #expect(result.status == 0)
    #expect(
      result.errors.hasPrefix(
        "anechoic: warning: short.wav ends after 1.00 s, and microphone.wav after 2.0"),
      "\(result.errors)")
    #expect(result.errors.contains("\nreference       ends after 1.00 s of 2.0"))
  }

  /// A file that is not there yet is known by its folder.
  @Test func oneFileForTwoOutputsIsRefusedThroughALinkedFolderToo() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("."))
    let result = try await process("microphone.wav", "out.wav", ["--raw", "link/out.wav"])
    #expect(result.status == 2)
    #expect(result.errors.contains("two outputs cannot go to the same file"), "\(result.errors)")
  }

  @Test(arguments: ["microphone.wav", "./microphone.wav", "link.wav"])
  func aReferenceThatIsTheMicrophoneIsReported(reference: String) async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.wav"), withDestinationPath: folder.path("microphone.wav"))
    let result = try await process("microphone.wav", "out.wav", ["--reference", reference])
    #expect(result.status == 0)
    let warnings = result.errorLines.filter { $0.hasPrefix("anechoic: warning: ") }
    #expect(warnings.count == 1 && warnings[0].contains("microphone.wav"), "\(result.errors)")
  }

  @Test func swappedMicrophoneAndReferenceAreReported() async throws {
    // The syllables have no regular rhythm, because a regular rhythm is similar at many lags.
    let gates = Signals.noise(84, amplitude: 1, seed: 5)
    let farEnd = Signals.noise(80_000, amplitude: 0.3, seed: 3).enumerated().map { index, sample in
      gates[index / 960] > 0 ? sample : 0
    }
    let echo = Signals.echo(of: farEnd, delay: 640, gain: 0.5)
    for (name, samples) in [("microphone.wav", echo), ("reference.wav", farEnd)] {
      let format = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)
      try AudioFileWriter(path: folder.path(name), format: format).write(encode([samples], .s16))
    }
    let right = try await process("microphone.wav", "out.wav", ["--reference", "reference.wav"])
    #expect(right.status == 0 && !right.errors.contains("warning"), "\(right.errors)")
    let wrong = try await process("reference.wav", "out.wav", ["--reference", "microphone.wav"])
    #expect(wrong.status == 0)
    #expect(
      wrong.errors.contains("anechoic: warning: microphone.wav follows reference.wav by 4"),
      "\(wrong.errors)")
    #expect(wrong.errors.contains("\nreference       follows the microphone by 4"))
  }

  @Test(arguments: [([], false), (["--no-echo-cancellation"], true)])
  func anEchoThatIsTakenForAVoiceIsReported(options: [String], isTaken: Bool) async throws {
    try folder.writeVoices(far: try await Voices.far(seconds: 15))
    let result = try await process(
      "microphone.wav", "out.wav", ["--reference", "reference.wav"] + options)
    #expect(result.status == 0)
    let warning = try Regex(
      "anechoic: warning: the echo may have been taken for a voice: voice was found in [0-9.]+ s of "
        + "[0-9.]+ s in which the far end plays, and its level follows the far end\n")
    #expect((result.errors.firstMatch(of: warning) != nil) == isTaken, "\(result.errors)")
  }

  @Test func aVoiceOverTheEchoIsNotReportedAsEcho() async throws {
    try folder.writeVoices(
      far: try await Voices.far(seconds: 15), near: try await Voices.near(after: 6))
    let result = try await process("microphone.wav", "out.wav", ["--reference", "reference.wav"])
    #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
    #expect(result.errors.contains(" dB where no voice was found, "), "\(result.errors)")
  }

  @Test func aSessionWithoutAReferenceSaysThatNoEchoIsCancelled() async throws {
    for options in [[], ["--far-end", "reference.wav"]] {
      let result = try await process("microphone.wav", "out.wav", options)
      #expect(
        result.errors.contains("echo reduction  not possible: the session has no reference"),
        "\(result.errors)")
    }
    let played = try await process(
      "microphone.wav", "out.wav", ["--far-end", "reference.wav", "--playback", "played.wav"])
    #expect(!played.errors.contains("not possible"), "\(played.errors)")
  }

  @Test(arguments: [
    [], ["process"], ["process", "--microphone", "m.wav"], ["nonsense"], ["process", "--nonsense"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--mic-mode", "loud"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--noise-suppression", "11"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--gain-control", "maybe"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--pacing", "warp"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--loop"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--other-audio", "a.wav"],
    ["health", "--timeout", "soon"], ["health", "--timeout", "500ms"], ["health", "--wait", "-1s"],
    ["health", "--wait", "25h"], ["health", "--wait", "1e400"],
    ["health", "--connect-timeout", "s"],
    ["capabilities", "--xml"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic", arguments, in: folder)
    if arguments.isEmpty {
      #expect(result.status == 0 && result.text.contains("SUBCOMMANDS"))
    } else {
      #expect(result.status == 64 && result.errors.contains("Usage: "), "\(result.errors)")
    }
  }

  @Test func theHelpNamesEachValueOnce() async throws {
    let help = try await Command.run("anechoic", ["process", "--help"], in: folder).text
    let words = help.split { !$0.isLetter && $0 != "-" }
    for value in ["voice-isolation", "very-high", "real-time", "ignore", "mid"] {
      // The examples use some of the values too.
      let options = words.drop { $0 != "VOICE" }
      #expect(options.count { $0 == value } == 1, "\(value): \(help)")
    }
  }

  @Test(arguments: [
    (
      ["sessions", "record", "call-1", "call-1.rec"],
      "'record' is not a subcommand of 'anechoic sessions'; use 'anechoic record'\n"
        + "Usage: anechoic sessions "
    ),
    (
      ["mute", "call-1"],
      "'mute' is not a subcommand of 'anechoic'; use 'anechoic sessions mute'\n"
    ),
    (
      ["sessions", "start"],
      "'start' is not a subcommand of 'anechoic sessions'; use list, show, watch, mute, unmute, "
        + "gesture, set or delete\n"
    ),
  ])
  func anUnknownSubcommandIsNamedWithTheRightOne(arguments: [String], error: String) async throws {
    let result = try await Command.run("anechoic", arguments, in: folder)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("Error: \(error)"), "\(result.errors)")
  }

  /// Returns the bytes of the output with these options.
  private func bytes(_ options: [String]) async throws -> Data {
    let result = try await process(
      "microphone.wav", "out.wav", ["--reference", "reference.wav"] + options)
    try #require(result.status == 0, "\(options): \(result.errors)")
    return try folder.data("out.wav")
  }

  private func process(
    _ microphone: String, _ output: String, _ options: [String]
  ) async throws -> Command.Result {
    try await Command.run(
      "anechoic", ["process", "--microphone", microphone, "--output", output] + options, in: folder)
  }
}
