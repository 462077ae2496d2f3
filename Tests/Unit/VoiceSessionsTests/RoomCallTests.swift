import AcousticSimulator
import AudioCore
import BundledEngines
import Foundation
import RoomCalls
import TestAudio
import Testing
import VoiceEngines
import VoiceSessions

/// The default engine in a meeting room, in calls of minutes.
struct RoomCallTests {
  private static let rate = Voices.rate
  private static let engine = EngineCatalog.bundled.defaultEngine
  /// The minutes of the long call: 10, or those of the hours in `ANECHOIC_SOAK`, such as 1h.
  private static let minutes: Int = {
    let soak = ProcessInfo.processInfo.environment["ANECHOIC_SOAK"] ?? ""
    guard soak.last == "h", let hours = Int(soak.dropLast()) else { return 10 }
    return 60 * hours
  }()

  private static func silence(_ seconds: Double) -> [Float] {
    [Float](repeating: 0, count: Int(seconds * Double(rate.hertz)))
  }

  /// Returns 45 s of speech: the same words twice, in another order and at another level.
  private static func farEnd() async throws -> [Float] {
    let words = try await Voices.far.value
    let half = words.count / 2
    let again = (words[half...] + words[..<half]).map { $0 / 2 }
    return words + silence(1.3) + again + silence(2)
  }

  private static func scene(_ change: (inout EchoScene) -> Void = { _ in }) -> EchoScene {
    var scene = EchoScene(rate: rate.hertz)
    scene.room = .meetingRoom
    change(&scene)
    return scene
  }

  @Test(arguments: [Float(6), 0])
  func theFarEndAloneIsNeverLouderThanTheMicrophoneAndHardlyEverAVoice(
    echoReturnLoss: Float
  ) async throws {
    let call = try RoomCall(
      Self.scene { $0.echoReturnLoss = echoReturnLoss }, farEnd: try await Self.farEnd(),
      engine: Self.engine)
    try call.run(seconds: 60 * Self.minutes)
    let loudest = call.parts(of: 10, from: 5) { -call.reduction($0) }.max { $0.result < $1.result }
    let voice = call.parts(of: 60, from: 5, call.voiceSeconds).max { $0.result < $1.result }
    let (excess, found) = (try #require(loudest), try #require(voice))
    #expect(excess.result < -20, "\(excess.result) dB in the 10 s from \(excess.begin) s on")
    #expect(
      found.result <= 1, "\(found.result) s of voice in the minute from \(found.begin) s on")
  }

  @Test func theFarEndAloneIsNoMutedTalkerInTwoMinutes() async throws {
    let call = try RoomCall(Self.scene(), farEnd: try await Self.farEnd(), engine: Self.engine) {
      $0.startsMuted = true
    }
    try call.run(seconds: 120)
    #expect(call.mutedSpeech.isEmpty, "\(call.mutedSpeech)")
    #expect(call.outputLevel(0..<120) == Decibels.silence)
  }

  @Test func aVoiceOverTheEchoIsAMutedTalker() async throws {
    let call = try RoomCall(
      Self.scene(), farEnd: try await Self.farEnd(), near: try await Voices.near(after: 25),
      engine: Self.engine
    ) {
      $0.startsMuted = true
    }
    try call.run(seconds: 32)
    let starts = call.mutedSpeech.filter { $0.isActive && $0.seconds > 24 }.map(\.seconds)
    #expect(starts.count == 1 && starts.allSatisfy { (25..<27).contains($0) }, "\(starts)")
  }

  @Test(arguments: [Float(-50), -35])
  func wideSpectrumKeepsTheSteadyNoiseOfTheRoom(level: Float) async throws {
    let words = try await Voices.far(seconds: 12)
    let call = try RoomCall(
      Self.scene { $0.noiseLevel = level }, farEnd: words + Self.silence(13), engine: Self.engine
    ) {
      $0.configuration.preferredMicMode = .wideSpectrum
    }
    try call.run(seconds: 50)
    let parts: [Range<Double>] = [14..<24.5, 39..<49.5]
    for part in parts { #expect(abs(call.reduction(part)) < 1.5, "\(call.reduction(part))") }
  }

  @Test func wideSpectrumRemovesTheEcho() async throws {
    let call = try RoomCall(Self.scene(), farEnd: try await Self.farEnd(), engine: Self.engine) {
      $0.configuration.preferredMicMode = .wideSpectrum
    }
    try call.run(seconds: 60)
    let reductions = call.parts(of: 10, from: 5, call.reduction)
    #expect(reductions.allSatisfy { $0.result > 15 }, "\(reductions)")
  }

  /// The other person is 12 dB quieter and heard through the room. Both talk in turns.
  @Test func voiceIsolationRemovesAVoiceThatIsFurtherAway() async throws {
    let near = Array(try await Voices.near.value.prefix(5 * Self.rate.hertz))
    let turn = near + [Float](repeating: 0, count: 12 * Self.rate.hertz - near.count)
    let other = Self.silence(6) + (try await Voices.far(seconds: 5)) + Self.silence(1)
    let scene = Self.scene {
      $0.lag = 0
      $0.echoReturnLoss = 12
    }
    let distant = scene.record(farEnd: other + other + other).echo
    let heard = zip(turn + turn + turn, distant).map { $0 + $1 }
    let call = try RoomCall(
      Self.scene(), farEnd: Self.silence(36), near: heard, engine: Self.engine
    ) {
      $0.configuration.preferredMicMode = .voiceIsolation
      $0.configuration.voiceProcessing.gainControl = .off
    }
    try call.run(seconds: 36)
    for begin in [12.0, 24] {
      let (kept, removed) = (
        call.reduction(begin + 0.5..<begin + 4.5), call.reduction(begin + 6..<begin + 11)
      )
      #expect(abs(kept) < 3, "\(kept)")
      #expect(removed > 15, "\(removed)")
    }
  }
}
