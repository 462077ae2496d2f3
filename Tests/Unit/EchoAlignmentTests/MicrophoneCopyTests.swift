import AcousticSimulator
import AudioCore
import EchoAlignment
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct MicrophoneCopyTests {
  private static let rate = SampleRate.hz16000
  private static let voice = Signals.vowels(6 * rate.hertz, rate: rate)
  private static let other = chatter(6 * rate.hertz, seed: 23)

  private func hasCopy(
    _ microphone: [Float], _ reference: [Float], rate: SampleRate = rate
  ) throws -> Bool {
    try AlignerRun(microphone, reference, rate: rate).status.hasMicrophoneInReference
  }

  private func delayed(_ signal: [Float], by samples: Int) -> [Float] {
    Signals.silence(samples) + signal.dropLast(samples)
  }

  @Test(arguments: SampleRate.allCases)
  func theMicrophoneAsReferenceIsDetectedAtEveryRate(rate: SampleRate) throws {
    let voice = Signals.vowels(3 * rate.hertz, rate: rate)
    #expect(try hasCopy(voice, voice, rate: rate))
    let noise = Signals.babble(3 * rate.hertz, rate: rate)
    #expect(try hasCopy(noise, noise, rate: rate))
  }

  @Test(arguments: [1, 77, 320, 1400])
  func aCopyThatComesLaterIsDetected(samples: Int) throws {
    let copy = delayed(Self.voice, by: samples).map { -0.3 * $0 }
    #expect(try hasCopy(Self.voice, copy))
  }

  /// The other sound pauses between its words.
  @Test func aCopyUnderOtherSoundIsDetected() throws {
    let voice = Signals.noise(Self.other.count, amplitude: 0.05, seed: 3)
    #expect(try hasCopy(voice, zip(voice, Self.other).map { 0.5 * $0 + $1 }))
  }

  @Test(arguments: Room.allCases.indices)
  func anEchoInARoomIsNoCopy(room: Int) throws {
    for (lag, loss) in [(0, -6), (0.002, 6), (0.04, 6), (0.3, 20)] as [(Double, Float)] {
      var scene = EchoScene(rate: Self.rate.hertz)
      (scene.room, scene.lag, scene.echoReturnLoss) = (Room.allCases[room], lag, loss)
      let alone = scene.record(farEnd: Self.other)
      #expect(try !hasCopy(alone.microphone, alone.reference), "\(lag)")
      let both = scene.record(farEnd: Self.other, near: Self.voice)
      #expect(try !hasCopy(both.microphone, both.reference), "\(lag), double talk")
    }
  }

  /// As from a cable instead of a loudspeaker and a room.
  @Test(arguments: [16, 64, 320])
  func aDelayedReferenceInTheMicrophoneIsNoCopy(samples: Int) throws {
    #expect(try !hasCopy(delayed(Self.other, by: samples), Self.other))
    #expect(try !hasCopy(delayed(Self.voice, by: samples), Self.voice))
  }

  @Test func otherSignalsAreNoCopies() throws {
    #expect(try !hasCopy(Self.voice, Self.other))
    #expect(try !hasCopy(Signals.silence(48000), Signals.silence(48000)))
    #expect(try !hasCopy(Self.voice, Signals.silence(Self.voice.count)))
    let noises = [3, 4].map { Signals.noise(96000, seed: $0) }
    #expect(try !hasCopy(noises[0], noises[1]))
  }

  @Test(arguments: [[440], [350, 440], [697, 1209], [220, 277, 330]] as [[Float]])
  func tonesAreNoCopies(frequencies: [Float]) throws {
    let tone = (0..<(4 * Self.rate.hertz)).map { index in
      frequencies.reduce(0) { $0 + 0.05 * sinf(2 * .pi * $1 * Float(index) / 16000) }
    }
    var scene = EchoScene(rate: Self.rate.hertz)
    scene.lag = 0.01
    let recording = scene.record(farEnd: tone)
    #expect(try !hasCopy(recording.microphone, recording.reference))
  }

  @Test func theProblemEndsWithTheCopies() throws {
    let after = chatter(10 * Self.rate.hertz, seed: 5)
    let voice = Signals.vowels(10 * Self.rate.hertz, rate: Self.rate)
    #expect(try !hasCopy(Self.voice + voice, Self.voice + after))
  }
}
