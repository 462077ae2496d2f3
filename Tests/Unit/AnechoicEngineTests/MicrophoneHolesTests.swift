import AudioCore
import TestAudio
import TestEngines
import Testing
import VoiceEngines

@testable import AnechoicEngine

/// Sound of which a network has lost parts.
struct MicrophoneHolesTests {
  private static let (sound, silence): (Float, Float) = (0.01, 0)

  private func held(_ frames: [Float], concealed: Set<Int> = []) -> [Bool] {
    var holes = MicrophoneHoles()
    return frames.indices.map {
      holes.contains(meanSquare: frames[$0], isConcealed: concealed.contains($0))
    }
  }

  private func frames(_ sound: Int, _ silence: Int) -> [Float] {
    [Float](repeating: Self.sound, count: sound) + [Float](repeating: Self.silence, count: silence)
  }

  @Test func aHoleIsHeldUntilTheWindowHasLeftIt() {
    let found = held(frames(3, 2) + frames(3, 0))
    #expect(found == [false, false, false, true, true, true, false, false])
  }

  @Test func aPartThatIsMissingIsAHole() {
    #expect(held(frames(5, 0), concealed: [2]) == [false, false, true, true, false])
  }

  /// The first frames cannot be told from a hole.
  @Test func aLongerSilenceIsSilence() {
    let found = held(frames(2, 10) + frames(2, 0))
    #expect(
      found == [false, false] + [Bool](repeating: true, count: 6)
        + [Bool](repeating: false, count: 6))
  }

  @Test func aCallThatBeginsInSilenceHasNoHole() {
    #expect(!held([Float](repeating: 0, count: 20) + frames(5, 0)).contains(true))
  }

  /// Every second frame is silent: each window has a part of a hole.
  @Test func soundThatIsAllHolesIsAnalyzedNowAndThen() {
    let found = held((0..<80).map { $0.isMultiple(of: 2) ? Self.sound : Self.silence })
    #expect(found.count { !$0 } == 10)
  }

  /// Blocks of 20 ms, a fifth of which is lost.
  @Test(arguments: [false, true])
  func aVoiceIsFoundAndKeptBetweenHoles(isOther: Bool) async throws {
    let samples = try await (isOther ? Voices.far : Voices.near).value
    var random = SeededGenerator(seed: 4)
    let lost = (0..<samples.count / 320).map { _ in random.next() % 5 == 0 }
    let voice = samples.indices.map { samples[$0] * 0.3 }
    let received = voice.indices.map {
      $0 / 320 < lost.count && lost[$0 / 320] ? 0 : voice[$0]
    }
    let settings = EngineSettings(noiseSuppression: .moderate, highPassFilter: true)
    func run(_ microphone: [Float]) throws -> EngineRun {
      try EngineRun(AnechoicVoiceEngine.self, settings, rate: Voices.rate, microphone: [microphone])
    }
    let (whole, holed) = (try run(voice), try run(received))
    let found = whole.findings.indices.count { whole.findings[$0].hasVoice }
    let kept = holed.findings.indices.count {
      whole.findings[$0].hasVoice && holed.findings[$0].hasVoice
    }
    #expect(Double(kept) > 0.97 * Double(found), "\(kept) of \(found) frames")
    let change = level(holed.output[0][...]) - level(received[...])
    #expect(change > -1.5, "\(change) dB")
  }
}
