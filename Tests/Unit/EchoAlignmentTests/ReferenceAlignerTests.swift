import AcousticSimulator
import AudioCore
import EchoAlignment
import TestAudio
import Testing

struct ReferenceAlignerTests {
  private static let rate = SampleRate.hz16000
  private static let speech = Signals.babble(rate.hertz * 12, rate: rate, seed: 7)

  @Test func aLongLagIsShortenedOnceToTheBestLead() throws {
    let recording = record(seconds: 4) { $0.lag = 0.4 }
    let run = try AlignerRun(recording.microphone, recording.reference)
    #expect(run.moves.count == 1)
    let lead = try run.lead
    #expect(abs(lead - 20) < 0.5)
    #expect(abs(run.heldBack - 380) < 0.5)
  }

  @Test(arguments: [0.005, 0.02, 0.035])
  func aGoodLeadIsLeftAloneAndTheReferenceUntouched(lag: Double) throws {
    let recording = record(seconds: 4) { $0.lag = lag + 0.0005 }
    let run = try AlignerRun(recording.microphone, recording.reference)
    #expect(run.moves.isEmpty)
    #expect(run.output == recording.reference)
    let echoDelay = try #require(run.status.echoDelay).inMilliseconds
    #expect(abs(echoDelay - lag * 1000 - 0.5) < 0.5)
  }

  @Test func beforeItIsSureTheReferencePassesUntouched() throws {
    let other = chatter(Self.rate.hertz * 4, seed: 32)
    let reference = Array(Self.speech.prefix(other.count))
    let run = try AlignerRun(other, reference)
    #expect(run.output == reference)
    #expect(run.status.echoDelay == nil)
  }

  @Test(arguments: [0.04, 0.3, -0.1])
  func aJumpIsFollowedWithinASecondAndAHalf(jump: Double) throws {
    let recording = record(seconds: 7) {
      $0.lag = 0.3
      $0.jumps = [(4, jump)]
    }
    let run = try AlignerRun(recording.microphone, recording.reference)
    try #require(run.moves.count == 2)
    #expect(run.moves[0] < 200 && (400..<550).contains(run.moves[1]))
    let lead = try run.lead
    #expect(abs(lead - 20) < 0.5)
  }

  @Test(arguments: [200.0, -500])
  func aDriftIsFollowedSoThatTheLeadStays(drift: Double) throws {
    let recording = record(seconds: 12) {
      $0.lag = 0.3
      $0.driftPPM = drift
    }
    let run = try AlignerRun(recording.microphone, recording.reference)
    #expect(run.moves.count == 1)
    let found = try #require(run.status.drift)
    #expect(abs(found - drift) < 40)
    let early = 20 + drift * 1e-3 * 4  // The drift before it was known.
    let lead = try run.lead
    #expect(abs(lead - early) < 1.2)
  }

  @Test func deviceTimesPlaceTheReferenceBeforeAnyEcho() throws {
    let unheard = Signals.silence(Self.rate.hertz * 8)
    let run = try AlignerRun(unheard, Self.speech) { aligner, frame in
      let time = Duration.milliseconds(10 * frame)
      aligner.recordCapture(sample: Int64(frame * 160), at: .seconds(50) + time)
      aligner.recordPlayback(sample: Int64(frame * 160), at: .seconds(50.25) + time)
    }
    #expect(run.moves.count == 1)
    #expect(abs(run.heldBack - 230) < 1)
  }

  @Test func wrongTimesAreNoticedAndTheAudioDecides() throws {
    let recording = record(seconds: 5) { $0.lag = 0.2 }
    let run = try AlignerRun(recording.microphone, recording.reference) { aligner, frame in
      aligner.recordCapture(sample: Int64(frame * 160), at: .milliseconds(frame % 7 * 1000))
      aligner.recordPlayback(sample: Int64(frame * 160), at: .milliseconds(-frame * 13))
    }
    #expect(run.status.hasUnsteadyClocks)
    let lead = try run.lead
    #expect(abs(lead - 20) < 0.5)
  }

  @Test func theSameInputGivesTheSameOutput() throws {
    let recording = record(seconds: 5) {
      $0.lag = 0.3
      $0.driftPPM = 300
    }
    let first = try AlignerRun(recording.microphone, recording.reference)
    let second = try AlignerRun(recording.microphone, recording.reference)
    #expect(first.output == second.output && first.moves == second.moves)
  }

  @Test func afterAResetTheLagIsFoundAgain() throws {
    let recording = record(seconds: 8) {
      $0.lag = 0.4
      $0.jumps = [(4, -0.2)]
    }
    let run = try AlignerRun(recording.microphone, recording.reference) { aligner, frame in
      if frame == 400 { aligner.reset() }
    }
    #expect(run.moves.count == 2)
    let lead = try run.lead
    #expect(abs(lead - 20) < 0.5)
  }

  private func record(
    seconds: Int, _ change: (inout EchoScene) -> Void
  ) -> EchoScene.Recording {
    var scene = EchoScene(rate: Self.rate.hertz)
    change(&scene)
    return scene.record(farEnd: Array(Self.speech.prefix(seconds * Self.rate.hertz)))
  }
}
