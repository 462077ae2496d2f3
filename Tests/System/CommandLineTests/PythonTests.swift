import AudioCore
import AudioFiles
import Foundation
import TestAudio
import Testing

/// The Python example: a client that shares no code with this package.
@Suite(
  .serialized, .timeLimit(.minutes(1)),
  .enabled(if: Python.isThere, "scripts/bootstrap installs it"))
struct PythonTests {
  @Test func aForeignClientGetsTheSameBytes() async throws {
    let folder = try await Self.folder()
    try folder.writeCall()
    let server = try await ServerProcess(in: folder)
    let arguments = [
      "--server", server.address, "--microphone", "microphone.wav", "--reference", "reference.wav",
    ]
    let foreign = try await Command.run(
      Python.path,
      [folder.path("examples/python/process.py"), "--output", "python.wav"] + arguments,
      in: folder)
    try #require(foreign.status == 0, "\(foreign.errors)")
    #expect(foreign.text.contains("32080 samples in, 32080 samples out"), "\(foreign.text)")
    let own = try await Command.run(
      "anechoic", ["process", "--output", "swift.wav"] + arguments, in: folder)
    try #require(own.status == 0, "\(own.errors)")
    #expect(try folder.data("python.wav") == folder.data("swift.wav"))

    let refused = try await Command.run(
      Python.path,
      [
        folder.path("examples/python/process.py"), "--output", "x.wav", "--server", "127.0.0.1:1",
        "--microphone", "microphone.wav",
      ], in: folder)
    #expect(refused.status == 2 && refused.errors.contains("UNAVAILABLE"), "\(refused.errors)")
  }

  @Test func aForeignClientShowsWhenSpeechEndedAndWhenThisWasDecided() async throws {
    let folder = try await Self.folder()
    let format = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)
    let voice = Signals.vowels(24_000, rate: .hz16000, amplitude: 0.3)
    let samples = Signals.silence(16_000) + voice + Signals.silence(24_000)
    let fan = Signals.noise(samples.count, amplitude: 0.001)
    try AudioFileWriter(path: folder.path("voice.wav"), format: format)
      .write(encode([zip(samples, fan).map { $0 + $1 }], .s16))
    let server = try await ServerProcess(in: folder)
    let arguments = ["--server", server.address, "--microphone", "voice.wav"]
    let foreign = try await Command.run(
      Python.path,
      [folder.path("examples/python/process.py"), "--output", "python.wav"] + arguments, in: folder)
    let own = try await Command.run(
      "anechoic", ["process", "--output", "o.wav", "--events", "events.jsonl"] + arguments,
      in: folder)
    try #require(foreign.status == 0 && own.status == 0, "\(foreign.errors) \(own.errors)")
    let lines = try folder.jsonLines("events.jsonl").filter { $0["voiceActivityChanged"] != nil }
      .map { event in
        let happened = event["voiceActivityChanged", "beganAtSample"] as? Double ?? 0
        let decided = event["microphoneSample"] as? Double ?? 0
        let isActive = event["voiceActivityChanged", "active"] as? Bool ?? false
        return String(format: "%.2f s  voice ", happened / 16_000)
          + (isActive ? "started" : "ended")
          + String(format: " (decided at %.2f s)", decided / 16_000)
      }
    #expect(lines.count >= 2 && foreign.text.hasPrefix(lines.joined(separator: "\n") + "\n"))
    #expect(lines.contains { $0.contains("ended") }, "\(lines)")
  }

  @Test func aForeignClientSteersAndWatches() async throws {
    let folder = try await Self.folder()
    let call = try await LiveCall(in: folder)
    func steer(_ arguments: String...) throws -> Command {
      try Command(
        Python.path,
        [folder.path("examples/python/steer.py"), "--server", call.server.address] + arguments,
        in: folder)
    }
    let listed = try await steer("list").wait()
    #expect(
      listed.status == 0
        && listed.text == "sessions/call-1  live by media, generation 0, of media\n")
    let watch = try steer("watch", "call-1")
    try await watch.line(containing: "sessions/call-1", inOutput: true)
    let muted = try await steer("mute", "call-1", "--client", "paul").wait()
    #expect(muted.status == 0 && muted.text == "muted by paul, generation 1\n", "\(muted.errors)")
    let unknown = try await steer("mute", "nobody").wait()
    #expect(unknown.status == 2 && unknown.errors.contains("NOT_FOUND"), "\(unknown.errors)")
    try await call.end()
    let watched = try await watch.wait()
    #expect(watched.status == 0, "\(watched.errors)")
    #expect(watched.text.contains("mute_changed {'state': {'muted': True"), "\(watched.text)")
    #expect(watched.text.contains("session_ended {'reason': 'REASON_DELETED'}"), "\(watched.text)")
  }

  /// Returns a folder with only the examples and the protocol, and with generated stubs.
  static func folder() async throws -> Folder {
    let folder = try Folder()
    for part in ["proto", "examples/python"] {
      let copy = folder.url.appendingPathComponent(part)
      try FileManager.default.createDirectory(
        at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Folder.package.appendingPathComponent(part), to: copy)
    }
    let generated = try await Command.run(folder.path("examples/python/generate"), [], in: folder)
    try #require(generated.status == 0, "\(generated.errors)")
    return folder
  }
}

enum Python {
  static let path = "/usr/bin/python3"

  static var isThere: Bool {
    [path, "/usr/bin/protoc", "/usr/bin/grpc_python_plugin", "/usr/lib/python3/dist-packages/grpc"]
      .allSatisfy { FileManager.default.fileExists(atPath: $0) }
  }
}
