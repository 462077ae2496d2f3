import AcousticSimulator
import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

@testable import AnechoicEngine

/// The echo of a call from the moment at which its delay is known.
struct FirstEchoTests {
  private static let rate = Voices.rate

  /// The far end is heard 0.3 s later, and the session notices that after 1 s.
  @Test(arguments: [SampleRate.hz16000, .hz48000], [1, 2])
  func theEchoIsGoneAtOnceWhenItsDelayIsKnown(rate: SampleRate, channelCount: Int) throws {
    let (second, lag) = (rate.hertz, rate.hertz * 3 / 10)
    let farEnd = Signals.babble(3 * second, rate: rate, seed: 7)
    var scene = EchoScene(rate: rate.hertz)
    (scene.room, scene.lag) = (.meetingRoom, 0.3)
    let echo = scene.record(farEnd: farEnd).microphone
    // The session leaves a lead of 20 ms.
    let held = lag - second / 50
    let reference = farEnd.prefix(second) + farEnd[(second - held)..<(3 * second - held)]
    let run = try EngineRun(
      AnechoicVoiceEngine.self, EngineSettings(echoSuppression: .moderate), rate: rate,
      microphone: [[Float]](repeating: echo, count: channelCount), reference: [Array(reference)],
      path: .steady,
      conditions: Dictionary(
        uniqueKeysWithValues: (0...100).map {
          ($0, EchoConditions(path: $0 < 100 ? .unknown : .moved(samples: held)))
        }))
    let known = second + second / 10
    for output in run.output {
      let heard = output[known..<(known + second / 2)]
      let reduction = level(echo[known..<(known + second / 2)]) - level(heard)
      #expect(reduction > 30, "\(reduction) dB")
    }
  }
}
