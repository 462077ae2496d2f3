import AudioCore
import TestAudio
import Testing
import VoiceSessions

/// Sessions whose reference is wrong.
struct ReferenceWarningTests {
  private static let rate = Voices.rate

  /// Returns the warnings of a problem: whether they begin, and the seconds.
  private func warnings(
    _ problem: CaptureProblem, _ microphone: [Float], _ reference: [Float],
    referenceChunk: Int = 160
  ) throws -> [(isActive: Bool, second: Double)] {
    var setup = SessionSetup(microphone: .f32(Self.rate))
    setup.reference = .f32(Self.rate)
    let run = try SessionRun(setup)
    try run.send(
      microphone: encode([microphone], .f32), in: 160, reference: encode([reference], .f32),
      in: referenceChunk)
    run.finish()
    return run.sink.events.compactMap { event in
      guard case .captureWarning(problem, let isActive) = event.kind else { return nil }
      return (isActive, Double(event.microphoneSample) / Double(Self.rate.hertz))
    }
  }

  @Test func theMicrophoneAsReferenceCausesAWarning() async throws {
    let voice = try await Voices.far(seconds: 8)
    let found = try warnings(.referenceHasMicrophone, voice, voice)
    #expect(found.count == 1 && found[0].second < 5, "\(found)")
  }

  @Test func aMicrophoneInThePlaybackCausesAWarning() async throws {
    let (far, near) = (try await Voices.far(seconds: 15), try await Voices.near.value)
    let voice = near + near + near
    let echo = Signals.echo(of: far, delay: 800, gain: 0.4)
    let microphone = zip(echo, voice).map { $0 + $1 }
    let reference = zip(far, microphone).map { $0 + 0.5 * $1 }
    let found = try warnings(.referenceHasMicrophone, microphone, reference)
    #expect(found.count == 1 && found[0].second < 5, "\(found)")
  }

  /// A client that leaves blocks out sends three quarters of the samples, at once or in real time.
  @Test(arguments: [(true, 160), (false, 160), (false, 120)])
  func missingBlocksOfTheReferenceCauseAWarning(isSilent: Bool, chunk: Int) async throws {
    let far = try await Voices.far(seconds: 12)
    let microphone = Signals.echo(of: far, delay: 800, gain: 0.4)
    var reference: [Float] = []
    var random = SeededGenerator(seed: 4)
    for first in stride(from: 0, to: far.count - 320, by: 320) {
      if Int.random(in: 0..<4, using: &random) > 0 {
        reference += far[first..<first + 320]
      } else if isSilent {
        reference += Signals.silence(320)
      }
    }
    let found = try warnings(
      .referenceGaps, microphone, reference, referenceChunk: chunk)
    #expect(found.first?.isActive == true && found[0].second < 5, "\(found)")
  }

  @Test func anEchoCausesNeither() async throws {
    let far = try await Voices.far(seconds: 12)
    let near = try await Voices.near(after: 4)
    let echo = Signals.echo(of: far, delay: 100, gain: 0.5)
    let microphone = echo.indices.map { echo[$0] + ($0 < near.count ? near[$0] : 0) }
    #expect(try warnings(.referenceHasMicrophone, microphone, far).isEmpty)
    #expect(try warnings(.referenceGaps, microphone, far).isEmpty)
  }
}
