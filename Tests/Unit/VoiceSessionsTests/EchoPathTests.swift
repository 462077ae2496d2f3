import AcousticSimulator
import AudioCore
import BundledEngines
import TestAudio
import Testing
import VoiceEngines
import VoiceSessions

/// Sessions that begin with the echo path of an earlier one.
struct EchoPathTests {
  /// Runs a call in a scene, and returns it with the last echo path that it told.
  private static func call(
    _ scene: EchoScene, hint: EchoPath? = nil, over source: EchoRun.Source = .reference,
    from second: Int = 0, near: [Float] = [], route: String? = nil
  ) async throws -> (run: EchoRun, path: EchoPath?) {
    let far = try await Voices.far(seconds: Double(second + 10))[(second * Voices.rate.hertz)...]
    let run = try EchoRun(scene, farEnd: Array(far), near: near, from: source) {
      $0.echoPathHint = hint
      $0.tellsEchoPath = true
    }
    if let route { run.route(to: route) }
    try run.run()
    return (run, run.sink.echoPaths.last)
  }

  /// A person talks while the far end says its first words. An edge agent tells its route before.
  @Test(arguments: [EchoRun.Source.reference, .playback], [nil, "speaker"])
  func aPersonIsHeardOverTheFirstWord(source: EchoRun.Source, route: String?) async throws {
    let scene = EchoRun.scene(lag: 0.06)
    let path = try #require(try await Self.call(scene, over: source).path)
    let near = try await Voices.near(after: 0.2)
    let (with, _) = try await Self.call(
      scene, hint: path, over: source, from: 10, near: near, route: route)
    let (without, _) = try await Self.call(scene, over: source, from: 10, near: near)
    #expect(with.session.usesEchoPathHint && !without.session.usesEchoPathHint)
    // Without the path, a voice counts only when the canceller has learnt it.
    let (soon, late) = (
      try #require(with.voiceStarts.first), try #require(without.voiceStarts.first)
    )
    #expect((0.2..<0.35).contains(soon) && late > soon + 0.2)
    let talk = 4_000..<16_000
    #expect(level(with.output[talk]) > level(with.recording.near[talk]) - 4)
    #expect(with.reduction(3.5..<5.5) > without.reduction(3.5..<5.5) - 2)
  }

  @Test func thePathIsToldAfterFiveSecondsAndAtTheEnd() async throws {
    let (run, path) = try await Self.call(EchoRun.scene(lag: 0.06))
    #expect(run.sink.echoPaths.count == 2)
    let learnt = try #require(path)
    #expect(learnt.rate == .hz16000 && learnt.channelCount == 1)
    #expect(learnt.responses.count == 48 * 160 && learnt.responses.contains { abs($0) > 0.01 })
    #expect((0.055..<0.075).contains(learnt.lag / .seconds(1)))
  }

  @Test func aPathOfAnotherFormatIsNotUsed() async throws {
    let path = EchoPath(
      rate: .hz48000, channelCount: 1, lag: .zero, held: .zero,
      responses: Signals.silence(48 * 480))
    let (run, _) = try await Self.call(EchoRun.scene(lag: 0.06), hint: path)
    #expect(!run.session.usesEchoPathHint)
  }

  @Test(arguments: [0.02, 0.06, 0.061, 0.3])
  func aPathOfAnotherRoomIsForgotten(lag: Double) async throws {
    let path = try #require(
      try await Self.call(EchoRun.scene(lag: 0.06)).path)
    let scene = EchoRun.scene(lag: lag) { $0.room = .hall }
    let (with, _) = try await Self.call(scene, hint: path, from: 10)
    let (without, _) = try await Self.call(scene, from: 10)
    for seconds in [1.0..<2.0, 2.0..<4.0, 4.0..<6.5] {
      #expect(with.reduction(seconds) > min(30, without.reduction(seconds) - 2))
    }
  }

  /// The devices of another session may buffer more, or less.
  @Test(arguments: [0.05, 0.07, 0.08, 0.12])
  func aPathWithAnotherDelayIsFoundAgain(lag: Double) async throws {
    let path = try #require(try await Self.call(EchoRun.scene(lag: 0.06)).path)
    let (with, _) = try await Self.call(EchoRun.scene(lag: lag), hint: path, from: 10)
    let (without, _) = try await Self.call(EchoRun.scene(lag: lag), from: 10)
    for seconds in [1.0..<2.0, 2.0..<4.0] {
      let (mine, other) = (with.reduction(seconds), without.reduction(seconds))
      #expect(mine > min(30, other - 2), "\(seconds): \(mine) dB, without the path \(other) dB")
    }
  }
}
