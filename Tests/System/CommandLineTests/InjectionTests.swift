import AudioCore
import AudioFiles
import Foundation
import TestAudio
import Testing

/// `anechoic inject`, into a session of `anechoic process`.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InjectionTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try write("short.wav", milliseconds: 300)
    try write("speech.wav", milliseconds: 15_000)
  }

  @Test func permittedSpeechIsHeard() async throws {
    let call = try await LiveCall(in: folder, ["--grant-injection", "always"])
    let result = try await call.run(
      "inject", "--session", "call-1", "--audio", "short.wav", "--usage", "Doorbell", "--client",
      "olga")
    #expect(result.status == 0 && result.text == "injected 0.30 s\n", "\(result.errors)")
    #expect(result.errors == "the permission to inject is granted\n")
    let spoken = try await call.run("inject", "--session", "sessions/call-1", "--text", "Hello.")
    #expect(spoken.status == 0 && spoken.text.hasPrefix("injected "), "\(spoken.errors)")
    let dashed = try await call.run("inject", "--session", "call-1", "--text", "-5 degrees")
    #expect(dashed.status == 0 && dashed.text.hasPrefix("injected "), "\(dashed.errors)")
    _ = try await call.run("sessions", "set", "call-1", "preferred_injection_mode=NONE")
    let refused = try await call.run("inject", "--session", "call-1", "--text", "Hello.")
    #expect(refused.status == 2 && refused.errorLines.count == 1, "\(refused.errors)")
    #expect(refused.errors.contains("preferred_injection_mode is NONE"), "\(refused.errors)")
    try await call.end()
    let media = try await call.media.wait()
    #expect(media.errors.contains("olga asks to inject speech: Doorbell: permitted\n"))
    #expect(try injectionStates().count == 6)
  }

  @Test(arguments: [[], ["--grant-injection", "never"], ["--no-injection"]])
  func speechWithoutPermissionIsNotHeard(options: [String]) async throws {
    let call = try await LiveCall(in: folder, options)
    let result = try await call.run("inject", "--session", "call-1", "--audio", "short.wav")
    #expect(result.status == 2 && result.errorLines.count == 1 && result.output.isEmpty)
    #expect(result.errors.contains("sessions/call-1: the permission to inject is denied"))
    try await call.end()
    let media = try await call.media.wait()
    // The refusal says how to permit injection, unless the refusal was requested.
    #expect(
      media.errors.contains("refused (permit it with --grant-injection")
        == options.isEmpty)
    #expect(try injectionStates().isEmpty)
  }

  @Test func anInjectorThatWaitsSpeaksWhenTheCallBegins() async throws {
    let call = try await LiveCall(in: folder, ["--grant-injection", "always"])
    let injection = try call.start([
      "inject", "--session", "call-1", "--audio", "short.wav", "--wait", "--only-here",
    ])
    let result = try await injection.wait()
    #expect(
      result.status == 2 && result.errors.contains("needs a playback, and a device that plays it"),
      "\(result.errors)")
    try await call.end()
    _ = try await call.media.wait()
    let later = try call.start(["inject", "--session", "call-1", "--audio", "short.wav", "--wait"])
    try await Task.sleep(for: .milliseconds(300))
    later.signal(SIGTERM)
    let waited = try await later.wait()
    #expect(waited.errorLines.first == "waiting for sessions/call-1 to take speech")
    #expect(waited.status == 130)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalCancelsTheRestOfTheSpeech(signal: Int32) async throws {
    let call = try await LiveCall(in: folder, ["--grant-injection", "always"])
    let injection = try call.start(["inject", "--session", "call-1", "--audio", "speech.wav"])
    try await call.waitForEvent("injectionProgress")
    injection.signal(signal)
    let result = try await injection.wait()
    #expect(result.status == 130 && !result.wasSignalled && result.output.isEmpty)
    #expect(result.errorLines.last == "anechoic: the injection was cancelled")
    try await call.waitForEvent("STATE_CANCELLED")
    try await call.end()
    #expect(try injectionStates() == ["STATE_STARTED", "STATE_CANCELLED"])
  }

  @Test func speechThatCannotBeInjectedIsReported() async throws {
    let call = try await LiveCall(in: folder, ["--grant-injection", "always"])
    for (arguments, problem) in [
      (["--session", "call-1", "--audio", "missing.wav"], "missing.wav"),
      (["--session", "nobody", "--audio", "short.wav"], "NOT_FOUND"),
      (["--session", "call-1", "--audio", "short.wav", "--usage", ""], "usage_description"),
    ] {
      let result = try await call.start(["inject"] + arguments).wait()
      #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains(problem), "\(result.errors)")
    }
  }

  @Test(arguments: [
    [], ["--session", "a"], ["--text", "b"], ["--session", "a", "--text", "b", "--audio", "c"],
    ["--session", "a", "--audio", "b", "--voice", "c"], ["--session", "", "--text", "b"],
    ["--session", "a", "--text", "b", "--wait", "--usage", ""],
    ["--session", "a", "--text", " \n"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic", ["inject"] + arguments, in: folder)
    #expect(result.status == 64 && result.errors.contains("Usage: "), "\(result.errors)")
  }

  /// Returns the states of injections in the media client's events.
  private func injectionStates() throws -> [String] {
    try folder.jsonLines("events.jsonl").compactMap { $0["injectionProgress", "state"] as? String }
  }

  private func write(_ name: String, milliseconds: Int) throws {
    let format = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)
    let samples = Signals.babble(16 * milliseconds, rate: .hz16000, seed: 9)
    try AudioFileWriter(path: folder.path(name), format: format).write(encode([samples], .s16))
  }
}
