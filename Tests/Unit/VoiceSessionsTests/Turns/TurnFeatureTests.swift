import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

#if canImport(Glibc)
  import Glibc
#endif

struct TurnFeatureTests {
  private static let quiet = TurnObservation(
    speechProbability: 0, hasVoice: false, explainedShare: 0, microphoneMeanSquare: 0,
    referenceMeanSquare: 0, farEndIsAudible: false)

  /// Returns the features after 100 ms of a sound, which is a function of the time in seconds.
  private func features(
    rate: SampleRate, channels: Int = 1, _ sound: (Double) -> Double
  ) -> [Float] {
    var features = TurnFeatures(rate: rate)
    let frame = Frame(rate: rate, channelCount: channels)
    var values = [Float](repeating: 0, count: TurnFeatures.count)
    for index in 0..<10 {
      for sample in 0..<frame.sampleCount {
        let time = Double(index * frame.sampleCount + sample) / Double(rate.hertz)
        for channel in 0..<channels { frame.plane(channel)[sample] = Float(sound(time)) }
      }
      features.process(frame, Self.quiet, into: &values)
    }
    return values
  }

  private static func harmonics(_ pitch: Double) -> (Double) -> Double {
    { time in (1...8).reduce(0) { $0 + 0.05 * sin(2 * .pi * pitch * Double($1) * time) } }
  }

  @Test(arguments: SampleRate.allCases, [100.0, 150, 233, 310])
  func thePitchOfAVoiceIsFoundAtEveryRate(rate: SampleRate, pitch: Double) {
    let features = features(rate: rate, Self.harmonics(pitch))
    let strength = features[25]
    #expect(strength > 0.8)
    #expect(abs(Double(features[24] / strength) - log2(pitch / 150)) < 0.05)
  }

  @Test(arguments: [SampleRate.hz8000, .hz32000, .hz48000])
  func theSameSoundHasTheSameFeaturesAtTheRatesOfTheEngines(rate: SampleRate) {
    let expected = features(rate: .hz16000, Self.harmonics(150))
    let found = features(rate: rate, Self.harmonics(150))
    for index in 0...25 where abs(expected[index]) < 1.5 {
      #expect(abs(found[index] - expected[index]) < 0.15, "feature \(index)")
    }
  }

  @Test func theMeanOfTwoChannelsCounts() {
    let one = features(rate: .hz16000, Self.harmonics(150))
    #expect(features(rate: .hz16000, channels: 2, Self.harmonics(150)) == one)
  }

  @Test func silenceHasFiniteFeatures() {
    let features = features(rate: .hz16000) { _ in 0 }
    #expect(features.allSatisfy { $0.isFinite && abs($0) < 4 })
    #expect(features[25] == 0)
  }
}
