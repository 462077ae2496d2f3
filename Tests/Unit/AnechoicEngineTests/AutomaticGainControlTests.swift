import AudioCore
import Foundation
import TestAudio
import Testing

@testable import AnechoicEngine

@Suite struct AutomaticGainControlTests {
  /// A talker: 0.8 s of tones with a voice, then 0.6 s of noise at -75 dBFS.
  private struct Talker {
    var level: Float
    private let noise = Signals.noise(160, amplitude: Decibels.factor(-70))
    private var frame = 0

    init(level: Float) { self.level = level }

    mutating func next(into samples: borrowing Frame) -> Float {
      let isVoice = frame % 140 < 80
      let plane = samples.plane(0)
      for index in 0..<samples.sampleCount {
        let time = Float(frame * samples.sampleCount + index) / 16_000
        let tone = sin(2 * Float.pi * 220 * time) + sin(2 * Float.pi * 1_130 * time)
        plane[index] =
          isVoice
          ? tone * Decibels.factor(level) : noise[index]
      }
      frame += 1
      return isVoice ? 0.95 : 0.05
    }
  }

  /// Returns the levels of voice and pauses in the last two seconds.
  private func levels(of talker: inout Talker, seconds: Int, _ control: inout AutomaticGainControl)
    -> (
      voice: Float, pause: Float
    )
  {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var (voice, pause): ([Float], [Float]) = ([], [])
    for index in 0..<(seconds * 100) {
      let probability = talker.next(into: frame)
      control.process(frame, probability: probability, target: 3)
      guard index >= (seconds - 2) * 100 else { continue }
      if probability > 0.5 {
        voice.append(frame.meanSquare)
      } else {
        pause.append(frame.meanSquare)
      }
    }
    // The middle of the pauses: the gain comes down at the start of each.
    return (
      Decibels.level(meanSquare: voice.reduce(0, +) / Float(voice.count)),
      Decibels.level(meanSquare: pause.sorted()[pause.count / 2])
    )
  }

  @Test func voicesOfAllLevelsComeOutAtTheTarget() {
    let found = [-50, -38, -26, -14].map { level in
      var (talker, control) = (Talker(level: Float(level)), AutomaticGainControl())
      return levels(of: &talker, seconds: 6, &control).voice
    }
    #expect(found.allSatisfy { abs($0 - -18) < 3 }, "\(found)")
  }

  /// Returns the gained frames of a talker on the channels with the given factors.
  private func gained(_ factors: [Float]) -> [[Float]] {
    var (talker, control) = (Talker(level: -40), AutomaticGainControl())
    let mono = Frame(rate: .hz16000, channelCount: 1)
    let frame = Frame(rate: .hz16000, channelCount: factors.count)
    var output: [[Float]] = []
    for _ in 0..<400 {
      let probability = talker.next(into: mono)
      for (channel, factor) in factors.enumerated() {
        for (index, sample) in mono.plane(0).enumerated() {
          frame.plane(channel)[index] = factor * sample
        }
      }
      control.process(frame, probability: probability, target: 3)
      output.append(factors.indices.flatMap { Array(frame.plane($0)) })
    }
    return output
  }

  @Test(arguments: [[1, 0], [0, 1], [1, -1], [1, 0.1]] as [[Float]])
  func aVoiceOnOneOfTwoChannelsIsAsLoudAsOnOneAlone(factors: [Float]) {
    let (mono, stereo) = (gained([1]), gained(factors))
    let (channel, size) = (abs(factors[0]) < 1 ? 1 : 0, 160)
    for (alone, both) in zip(mono, stereo) {
      for (a, b) in zip(alone, both[(channel * size)...]) { #expect(abs(a - b) < 1e-4) }
    }
  }

  @Test func residualEchoIsNotRaised() {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var (talker, control) = (Talker(level: -45), AutomaticGainControl())
    for index in 0..<80 {
      _ = talker.next(into: frame)
      // The network takes some of the residual echo for voice, or for all of it.
      control.process(frame, probability: 0.95, echoShare: index < 40 ? 0.7 : 0.95, target: 3)
      #expect(Decibels.level(meanSquare: frame.meanSquare) < -43, "frame \(index)")
    }
  }

  @Test func aVoiceBesideAnUnknownShareOfEchoIsNotMeasured() {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var (talker, control) = (Talker(level: -45), AutomaticGainControl())
    for index in 0..<80 {
      _ = talker.next(into: frame)
      control.process(frame, probability: 0.95, echoShare: nil, target: 3)
      #expect(Decibels.level(meanSquare: frame.meanSquare) < -43, "frame \(index)")
    }
  }

  @Test func someFramesThatSoundLikeAVoiceAreNotRaised() {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var (talker, control) = (Talker(level: -45), AutomaticGainControl())
    for index in 0..<7 {
      let probability = talker.next(into: frame)
      control.process(frame, probability: probability, target: 3)
      #expect(Decibels.level(meanSquare: frame.meanSquare) < -43, "frame \(index)")
    }
  }

  @Test func theGainRisesSlowly() {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var (talker, control) = (Talker(level: -45), AutomaticGainControl())
    for index in 0..<80 {
      _ = talker.next(into: frame)
      let before = frame.meanSquare
      control.process(frame, probability: 0.95, target: 3)
      let gain = Decibels.level(meanSquare: frame.meanSquare / before)
      #expect(gain < 1.6 + 0.2 * Float(index + 1), "frame \(index)")
    }
  }

  /// The talker stresses a syllable now and then, which is no shout that goes on.
  @Test func afterAShoutTheStressesOfTheTalkerDoNotHoldTheGainDown() {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var control = AutomaticGainControl()
    func gain(level: Float) -> Float {
      let plane = frame.plane(0)
      for index in plane.indices {
        plane[index] = sin(2 * Float.pi * 220 * Float(index) / 16_000) * Decibels.factor(level)
      }
      let before = frame.meanSquare
      control.process(frame, probability: 0.95, target: 3)
      return Decibels.level(meanSquare: frame.meanSquare / before)
    }
    func talk(_ frames: Int) -> Float {
      (0..<frames).map { gain(level: $0 % 12 == 11 ? -20 : -33) }[frames - 2]
    }
    let before = talk(600)
    for _ in 0..<120 { _ = gain(level: -6) }
    let after = talk(50)
    #expect(abs(after - before) < 3, "\(before) dB, then \(after) dB")
  }

  /// Returns the gain in dB, in the middle of the word after a sound of some frames at -4 dBFS, and in
  /// the word before it.
  private func gains(afterLoudFrames count: Int) -> (before: Float, after: Float) {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    var (talker, control) = (Talker(level: -30), AutomaticGainControl())
    func gain(of talker: inout Talker) -> Float {
      let probability = talker.next(into: frame)
      let before = frame.meanSquare
      control.process(frame, probability: probability, target: 3)
      return Decibels.level(meanSquare: frame.meanSquare / before)
    }
    let before = (0..<(7 * 140 + 40)).map { _ in gain(of: &talker) }.last
    var loud = Talker(level: -4)
    for _ in 0..<count {
      _ = gain(of: &loud)
      if count > 80 { loud = Talker(level: -4) }
    }
    talker = Talker(level: -30)
    let after = (0..<40).map { _ in gain(of: &talker) }.last
    return (before ?? 0, after ?? 0)
  }

  @Test func afterACoughTheGainIsThatOfBefore() {
    let found = gains(afterLoudFrames: 30)
    #expect(abs(found.after - found.before) < 1, "\(found)")
  }

  @Test func aVoiceThatIsLouderForGoodHasAGainOfItsOwn() {
    let found = gains(afterLoudFrames: 200)
    #expect(found.after < found.before - 10, "\(found)")
  }

  @Test func pausesAreRaisedByTwoDecibelsAtMost() {
    var (talker, control) = (Talker(level: -45), AutomaticGainControl())
    let found = levels(of: &talker, seconds: 6, &control)
    #expect(found.pause < -74.8 + 2, "\(found)")
  }

  @Test(arguments: [Float(20), -20])
  func aSecondAfterAStepTheLevelIsRightAgain(step: Float) {
    var (talker, control) = (Talker(level: -35), AutomaticGainControl())
    let before = levels(of: &talker, seconds: 6, &control).voice
    talker.level += step
    _ = levels(of: &talker, seconds: 2, &control)
    let after = levels(of: &talker, seconds: 2, &control).voice
    #expect(abs(after - before) < 2, "\(before) \(after)")
  }

  @Test func nothingIsLouderThanFullScale() {
    var control = AutomaticGainControl()
    let frame = Frame(rate: .hz16000, channelCount: 1)
    for index in 0..<400 {
      let level: Float = index < 300 ? 0.001 : 1
      let plane = frame.plane(0)
      for sample in 0..<160 { plane[sample] = sample % 32 < 16 ? level : -level }
      control.process(frame, probability: 1, target: 3)
      #expect(frame.peak <= 1)
    }
  }

  @Test func longAfterTheGainWasSwitchedOffALoudFramePassesUnchanged() {
    var control = AutomaticGainControl()
    let frame = Frame(rate: .hz16000, channelCount: 1)
    for index in 0..<600 {
      let level: Float = index == 0 ? 2 : index < 599 ? 0.1 : 0.99
      frame.plane(0).update(repeating: level)
      control.process(frame, probability: 0, target: index == 0 ? 3 : nil)
    }
    #expect(frame.peak == 0.99)
  }

  @Test func aSoundThatIsLikeAVoiceForTwoFramesAgainAndAgainIsNotRaised() {
    let frame = Frame(rate: .hz16000, channelCount: 1)
    let sound = Signals.noise(160, amplitude: Decibels.factor(-40))
    var control = AutomaticGainControl()
    for index in 0..<6000 {
      for (place, sample) in sound.enumerated() { frame.plane(0)[place] = sample }
      let before = frame.meanSquare
      control.process(frame, probability: index % 100 < 2 ? 0.9 : 0, target: 3)
      #expect(frame.meanSquare < 1.5 * before, "after \(index) frames")
    }
  }
}
