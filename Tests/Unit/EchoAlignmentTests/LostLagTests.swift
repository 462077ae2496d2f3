import AcousticSimulator
import AudioCore
import TestAudio
import Testing

@testable import EchoAlignment

/// A lag that moves out of the searched range while no echo shows it.
struct LostLagTests {
  private static let rate = SampleRate.hz16000

  @Test(arguments: [(0.008, -450.0, 14), (1.012, 450.0, 22)])
  func aLagThatDriftsAwayInSilenceIsFoundAgain(
    lag: Double, drift: Double, silentSeconds: Int
  ) throws {
    let learnt = record(seconds: 12) {
      $0.lag = lag
      $0.driftPPM = drift
    }
    let again = record(seconds: 4) { $0.lag = 0.2 }
    let silence = Signals.silence(Self.rate.hertz * silentSeconds)
    // Somebody talks in the room while the far end plays sound that is not heard there.
    let unheard = chatter(Self.rate.hertz * 3, seed: 6)
    let talk = chatter(silence.count + unheard.count, seed: 55)

    var drifts: [Double?] = []
    let run = try AlignerRun(
      learnt.microphone + talk + again.microphone,
      learnt.reference + silence + unheard + again.reference
    ) { aligner, frame in
      if frame == 1200 { drifts.append(aligner.status.drift) }
    }

    let known = try #require(drifts.first ?? nil)
    #expect(abs(known - drift) < 40)
    // The lag would then be outside the searched range.
    let end = lag + known * 1e-6 * Double(12 + silentSeconds)
    #expect(!(-0.002...1.026).contains(end))
    let echoDelay = try #require(run.status.echoDelay).inMilliseconds
    #expect(abs(echoDelay - 200) < 1)
  }

  @Test(arguments: [-2.0, 2])
  func aJumpBeyondTheSearchedRangeMovesToItsEnd(jump: Double) throws {
    var estimator = try DelayEstimator(microphone: Self.rate, reference: Self.rate)
    func play(_ recording: EchoScene.Recording) {
      forEachFrame(recording.microphone, recording.reference, Self.rate) {
        estimator.append(reference: $1)
        estimator.append(microphone: $0)
      }
    }
    play(record(seconds: 4) { $0.lag = 0.2 })
    estimator.jump(by: jump)
    let moved = try found(estimator.estimate).delay
    #expect(abs(moved.inMilliseconds - (jump < 0 ? 0 : 1024)) < 1)
    play(record(seconds: 4) { $0.lag = 0.2 })
    let again = try found(estimator.estimate).delay
    #expect(abs(again.inMilliseconds - 200) < 0.5)
  }

  private func record(
    seconds: Int, _ change: (inout EchoScene) -> Void
  ) -> EchoScene.Recording {
    var scene = EchoScene(rate: Self.rate.hertz)
    change(&scene)
    return scene.record(
      farEnd: Signals.babble(Self.rate.hertz * seconds, rate: Self.rate, seed: 7))
  }
}
