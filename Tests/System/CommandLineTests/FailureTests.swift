import AudioCore
import AudioFiles
import Foundation
import TestAudio
import Testing

/// Failures: one line on standard error, exit code 2, and no destroyed file.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct FailureTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeCall()
    let recording = try folder.data("microphone.wav")
    try folder.write(Data(), "empty.wav")
    try folder.write(recording.prefix(recording.count / 2), "truncated.wav")
    try folder.write(recording.prefix(44), "header.wav")
    try folder.write(recording.prefix(20), "half-header.wav")
    try folder.write(Data("What the microphone heard.\n".utf8), "text.wav")
    var wrongRate = recording
    wrongRate.replaceSubrange(24..<28, with: [0x22, 0x56, 0, 0])  // A sample rate of 22,050 Hz.
    try folder.write(wrongRate, "22050.wav")
    wrongRate.replaceSubrange(24..<28, with: [0, 0, 0, 0])
    try folder.write(wrongRate, "0.wav")
    var sixChannels = recording
    sixChannels.replaceSubrange(22..<24, with: [6, 0])
    try folder.write(sixChannels, "six-channels.wav")
    try FileManager.default.linkItem(
      atPath: folder.path("microphone.wav"), toPath: folder.path("hard-link.wav"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("symbolic-link.wav"),
      withDestinationPath: folder.path("microphone.wav"))
  }

  @Test(arguments: [
    "missing.wav", "empty.wav", "truncated.wav", "header.wav", "half-header.wav", "text.wav",
    "22050.wav", "0.wav", "six-channels.wav", ".",
  ])
  func anUnusableInputIsNamed(name: String) async throws {
    try await expectFailure(
      ["process", "--output", "out.wav", "--microphone", name], names: name)
    for option in ["--reference", "--far-end", "--other-audio"] {
      try await expectFailure(
        process + [option, name, "--playback", "played.wav"], names: name)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.wav")))
  }

  @Test(arguments: [
    ("--output", "none/out.wav"), ("--output", "out.mp3"), ("--output", "out"), ("--output", "."),
    ("--output", "microphone.wav"), ("--output", "./microphone.wav"),
    ("--output", "hard-link.wav"), ("--output", "symbolic-link.wav"), ("--output", "reference.wav"),
    ("--events", "microphone.wav"), ("--stats", "hard-link.wav"), ("--frames", "reference.wav"),
    ("--events", "out.wav"), ("--events", "none/events.jsonl"), ("--playback", "out.wav"),
    ("--playback", "reference.wav"), ("--playback", "none/played.wav"), ("--playback", "out.mp3"),
  ])
  func anUnusableOutputIsNamedAndNoInputIsLost(option: String, path: String) async throws {
    let before = try [folder.data("microphone.wav"), folder.data("reference.wav")]
    var arguments = ["process", "--microphone", "microphone.wav", "--reference", "reference.wav"]
    if option != "--output" { arguments += ["--output", "out.wav"] }
    try await expectFailure(arguments + [option, path], names: path)
    #expect(try [folder.data("microphone.wav"), folder.data("reference.wav")] == before)
  }

  @Test func anExistingFileIsKeptAfterAFailure() async throws {
    let before = try folder.data("reference.wav")
    try folder.write(before, "out.wav")
    try folder.write(before, "log.jsonl")
    try await expectFailure(
      process + ["--events", "log.jsonl", "--server", "127.0.0.1:1"], names: "127.0.0.1:1")
    #expect(try folder.data("out.wav") == before)
    #expect(try folder.data("log.jsonl") == before)
  }

  @Test func aFullDeviceIsReportedAndStaysADevice() async throws {
    try await expectFailure(process + ["--frames", "/dev/full"], names: "/dev/full")
    let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/full")
    #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
  }

  @Test func soundMayGoToADevice() async throws {
    let result = try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--far-end", "reference.wav", "--output",
        "/dev/null", "--playback", "/dev/null",
      ], in: folder)
    #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
    let piped = try await Command.run(
      "anechoic", ["process", "--microphone", "microphone.wav", "--output", "/dev/stdout"],
      in: folder)
    #expect(piped.status == 0 && piped.output.starts(with: Data("RIFF".utf8)), "\(piped.errors)")
  }

  @Test(arguments: [("--foo", nil), ("--sever", "--server")] as [(String, String?)])
  func aMisspeltOptionGetsANearSuggestion(option: String, meant: String?) async throws {
    let result = try await Command.run("anechoic", ["health", option, "x"], in: folder)
    let suggestion = meant.map { ". Did you mean '\($0)'?" } ?? ""
    #expect(result.status == 64)
    #expect(
      result.errorLines.first.map(String.init)
        == "Error: Unknown option '\(option)'\(suggestion)", "\(result.errors)")
  }

  @Test(arguments: ["--far-end", "--other-audio", "--controls"])
  func everyInputIsKeptFromBeingWritten(option: String) async throws {
    let before = try folder.data("text.wav")
    for written in [["--playback", "text.wav"], ["--playback", "p.wav", "--events", "text.wav"]] {
      try await expectFailure(process + [option, "text.wav"] + written, names: "text.wav")
    }
    #expect(try folder.data("text.wav") == before)
  }

  @Test(arguments: ["--microphone", "--reference"])
  func aSampleThatIsNotANumberIsNamedWithItsPlace(option: String) async throws {
    var samples = [Float](repeating: 0.1, count: 48_000)
    samples[32_000] = .nan
    let format = AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 1)
    let bytes = samples.withUnsafeBytes { Array($0) }
    try AudioFileWriter(path: folder.path("midnan.wav"), format: format).write(bytes)
    let others = option == "--microphone" ? [] : ["--microphone", "microphone-3s.wav"]
    try folder.writeCall("microphone-3s.wav", milliseconds: 3000)
    try await expectFailure(
      ["process", "--output", "out.wav", option, "midnan.wav"] + others,
      names: "anechoic: midnan.wav: sample 32000 is not a finite number\n")
  }

  @Test(arguments: [
    ("0.wav", "a sample rate of 0 Hz is not supported; use one of 8000, 16000"),
    (".", "is a directory\n"),
  ])
  func anUnusableMicrophoneIsDescribed(name: String, problem: String) async throws {
    try await expectFailure(
      ["process", "--output", "out.wav", "--microphone", name],
      names: "anechoic: \(name): \(problem)")
  }

  @Test(arguments: ["missing.jsonl", "microphone.wav", "."])
  func controlsThatCannotBeReadAreNamed(name: String) async throws {
    try await expectFailure(process + ["--controls", name], names: name)
  }

  @Test func twoLogsInOneFileAreRefused() async throws {
    try await expectFailure(
      process + ["--events", "log.jsonl", "--stats", "log.jsonl"], names: "log.jsonl")
  }

  @Test func anUnknownHostIsNamedInPlainWords() async throws {
    let result = try await Command.run(
      "anechoic", ["health", "--server", "no-such-host.invalid:1", "--connect-timeout", "0"],
      in: folder)
    #expect(result.errors.contains("cannot find host no-such-host.invalid"), "\(result.errors)")
    #expect(!result.errors.contains("ARES"), "\(result.errors)")
  }

  @Test(arguments: ["127.0.0.1:1", "unix:/nowhere/at/all", "no-such-host.invalid:1"])
  func anAbsentServerIsNamed(address: String) async throws {
    for arguments in [
      process, ["health"], ["capabilities", "--json"], ["sessions", "list"], ["routing", "list"],
      ["inject", "--session", "call-1", "--text", "Hello."],
    ] {
      try await expectFailure(
        arguments + ["--server", address, "--connect-timeout", "0"], names: address)
    }
  }

  @Test(arguments: [
    "", "localhost", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:http", "::1",
    "unix:",
    "dns:///localhost:50051",
  ])
  func anInvalidServerAddressIsWrongUsage(address: String) async throws {
    for arguments in [
      process, ["health"], ["capabilities"], ["sessions", "list"], ["routing", "list"],
      ["record", "a", "a.rec"],
    ] {
      let result = try await Command.run(
        "anechoic", arguments + ["--server", address], in: folder)
      #expect(result.status == 64, "\(arguments) \(result.errors)")
      #expect(result.errors.contains("--server: \"\(address)\""), "\(result.errors)")
    }
  }

  @Test func theDeathOfTheServerIsReported() async throws {
    let server = try await ServerProcess(in: folder)
    let arguments =
      process + ["--server", server.address, "--pacing", "real-time", "--reconnect", "0"]
    let job = try Command("anechoic", arguments, in: folder)
    // The file has a header from the start. Its samples come with the first chunks.
    let limit = ContinuousClock.now + .seconds(10)
    while try folder.capabilities(of: await capabilities(server))["sessionsActive"] as? Int != 1 {
      try #require(ContinuousClock.now < limit)
    }
    server.command.signal(SIGKILL)
    let result = try await job.wait()
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(server.address) && result.errors.contains("UNAVAILABLE"))
  }

  private var process: [String] {
    ["process", "--microphone", "microphone.wav", "--output", "out.wav"]
  }

  private func capabilities(_ server: ServerProcess) async throws -> Data {
    try await Command.run(
      "anechoic", ["capabilities", "--json", "--server", server.address], in: folder
    ).output
  }

  private func expectFailure(
    _ arguments: [String], names name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await Command.run("anechoic", arguments, in: folder)
    #expect(
      result.status == 2 && !result.wasSignalled, "\(result)", sourceLocation: sourceLocation)
    #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(
      result.errors.hasPrefix("anechoic: ") && result.errors.contains(name), "\(result.errors)",
      sourceLocation: sourceLocation)
  }
}
