import AudioCore
import Foundation
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

  @Test(arguments: SampleRate.allCases)
  func everyRateIsTaken(rate: SampleRate) async throws {
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
    #expect(events.map { $0["eventId"] as? Int } == Array(1...events.count))
    let end = events.last?["sessionEnded"] as? [String: Any]
    #expect(end?["reason"] as? String == "REASON_CLIENT_CLOSED")
    let stats = try folder.jsonLines("stats.jsonl")
    #expect(stats.count == 2 && stats.allSatisfy { $0["flow"] != nil && $0["levels"] != nil })
    let frames = try folder.jsonLines("frames.jsonl")
    #expect(frames.compactMap { $0["sample"] as? Int } == (0..<201).map { $0 * 160 })
  }

  @Test func aLogThatIsALinkIsWrittenWhereItLeads() async throws {
    try folder.write(Data(), "target.jsonl")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.jsonl"), withDestinationPath: folder.path("target.jsonl"))
    let result = try await process("microphone.wav", "out.wav", ["--events", "link.jsonl"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try !folder.jsonLines("target.jsonl").isEmpty)
  }

  @Test func everyOptionChangesTheOutput() async throws {
    let options: [[String]] = [
      [], ["--mic-mode", "voice-isolation"], ["--mic-mode", "wide-spectrum"],
      ["--no-echo-cancellation"], ["--noise-suppression", "off"], ["--noise-suppression", "low"],
      ["--noise-suppression", "high"], ["--noise-suppression", "very-high"],
      ["--gain-control", "off"],
    ]
    var outputs: [Data: [String]] = [:]
    for option in options {
      let output = try await bytes(option)
      #expect(outputs[output] == nil, "\(option) is as \(outputs[output] ?? [])")
      outputs[output] = option
    }
    // What is the mode's own anyway changes nothing, and a second run neither.
    let plain = try await bytes([])
    for option in [["--mic-mode", "standard"], ["--noise-suppression", "moderate"]] {
      #expect(try await bytes(option) == plain, "\(option)")
    }
  }

  @Test func aServerElsewhereGivesTheSame() async throws {
    let inside = try await bytes([])
    for address in ["127.0.0.1:0", "unix:\(folder.path("socket"))"] {
      let server = try await ServerProcess(in: folder, listening: address)
      #expect(try await bytes(["--server", server.address]) == inside)
      #expect(try await bytes(["--server", server.address]) == inside)
    }
  }

  @Test func realTimeTakesItsTimeAndGivesTheSame() async throws {
    let plain = try await bytes([])
    let began = ContinuousClock.now
    #expect(try await bytes(["--pacing", "real-time"]) == plain)
    #expect(ContinuousClock.now - began > .milliseconds(1900))
  }

  @Test(arguments: [
    [], ["process"], ["process", "--microphone", "m.wav"], ["nonsense"], ["process", "--nonsense"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--mic-mode", "loud"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--noise-suppression", "11"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--gain-control", "maybe"],
    ["process", "--microphone", "m.wav", "--output", "o.wav", "--pacing", "warp"],
    ["health", "--timeout", "soon"], ["capabilities", "--xml"],
  ])
  func wrongUsageIsTold(arguments: [String]) async throws {
    let result = try await Command.run("anechoic", arguments, in: folder)
    if arguments.isEmpty {
      #expect(result.status == 0 && result.text.contains("SUBCOMMANDS"))
    } else {
      #expect(result.status == 64 && result.errors.contains("Usage: "), "\(result.errors)")
    }
  }

  /// The bytes of the output with these options.
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
