import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// A synthesized voice with pauses of digital silence, as voice agents send it.
struct BareVoiceTests {
  private static let second = Voices.rate.hertz
  /// The standard mic mode without gain control.
  private static let settings = EngineSettings(
    echoSuppression: .moderate, noiseSuppression: .moderate, highPassFilter: true)

  @Test(arguments: Candidate.all)
  func aVoiceOverDigitalSilenceIsKept(candidate: Candidate) async throws {
    let voice = [Float](repeating: 0, count: Self.second) + (try await Voices.far(seconds: 12))
    let lost = try Self.losses(of: voice, candidate, seconds: 2..<13)
    #expect(lost.allSatisfy { $0 < 3 }, "\(lost)")
  }

  @Test(arguments: Candidate.all)
  func aVoiceOverDigitalSilenceIsFound(candidate: Candidate) async throws {
    let detector = try candidate.engine.makeSpeechDetector(rate: Voices.rate)
    let voice = try await Voices.far(seconds: 12)
    let frame = Frame(rate: Voices.rate, channelCount: 1)
    var (loud, found) = (0, 0)
    for start in stride(
      from: Self.second, to: voice.count - frame.sampleCount, by: frame.sampleCount)
    {
      let plane = frame.plane(0)
      for index in plane.indices { plane[index] = voice[start + index] }
      let isFound = detector.hasVoice(frame)
      guard level(Array(plane)) > -30 else { continue }
      loud += 1
      found += isFound ? 1 : 0
    }
    #expect(found > loud * 3 / 4, "\(found) of \(loud) frames")
  }

  /// A session may begin in the middle of a word, which sounds like noise at first:
  /// docs/comparison.md has figures.
  @Test(arguments: Candidate.all, [1.1, 2.7, 5.2, 8.3])
  func aVoiceThatBeginsWithTheSessionIsHeard(candidate: Candidate, begin: Double) async throws {
    let voice = try await Voices.far(seconds: 12).dropFirst(Int(begin * Double(Self.second)))
    let lost = try Self.losses(of: Array(voice), candidate, seconds: 0..<3)
    #expect(zip(lost, [6, 10, 9]).allSatisfy { $0 < $1 }, "\(lost)")
  }

  /// Returns by how many dB the engine lowers each second.
  private static func losses(
    of voice: [Float], _ candidate: Candidate, seconds: Range<Int>
  ) throws -> [Float] {
    let run = try EngineRun(candidate.engine, settings, rate: Voices.rate, microphone: [voice])
    return seconds.map { start in
      let before = voice[(start * second)..<((start + 1) * second)]
      return level(before)
        - level(run.output[0].dropFirst(run.latencySamples + start * second).prefix(second))
    }
  }
}
