import AudioCore
import Foundation
import TestAudio
import Testing

@testable import AnechoicEngine

struct ToneDetectorTests {
  private static let rates: [SampleRate] = [.hz8000, .hz16000, .hz48000]

  /// Tones with these frequencies: a sine, a ring-back tone, a dial tone, and DTMF.
  private static let tones: [[Float]] = [
    [1000], [425], [350, 440], [697, 1209], [770, 1336], [941, 1633],
  ]

  /// Returns half a second of equal sines that together have the level `level`, in dBFS.
  private static func sines(
    _ frequencies: [Float], _ rate: SampleRate, level: Float = -16
  ) -> [Float] {
    let amplitude = Decibels.factor(level) * (2 / Float(frequencies.count)).squareRoot()
    return (0..<rate.hertz / 2).map { index in
      frequencies.reduce(0) { sum, frequency in
        let periods = Double(frequency) * Double(index) / Double(rate.hertz)
        return sum + amplitude * Float(sin(2 * .pi * periods))
      }
    }
  }

  /// Returns half a second of white noise with the level `level`, in dBFS.
  private static func noise(_ rate: SampleRate, level: Float = -16) -> [Float] {
    Signals.noise(rate.hertz / 2, amplitude: Decibels.factor(level) * Float(3).squareRoot())
  }

  /// The findings of one frame.
  private struct Found {
    let isTone: Bool
    let isSteady: Bool
    let excludesVoice: Bool
  }

  private static func findings(_ sound: [Float], _ rate: SampleRate) -> [Found] {
    let hop = rate.samplesPerFrame
    var tone = ToneDetector(hop: hop)
    return stride(from: 0, through: sound.count - hop, by: hop).map { first in
      Array(sound[first..<first + hop]).withUnsafeBufferPointer {
        if let frame = $0.baseAddress { tone.record(frame) }
      }
      return Found(isTone: tone.isTone, isSteady: tone.isSteady, excludesVoice: tone.excludesVoice)
    }
  }

  @Test(arguments: rates, tones)
  func aToneIsSteadyAfterSomeFramesUntilItsEnd(rate: SampleRate, frequencies: [Float]) {
    let found = Self.findings(Self.sines(frequencies, rate), rate)
    #expect(found.dropFirst().allSatisfy { $0.isTone })
    #expect(found.dropFirst(6).allSatisfy { $0.isSteady })
    #expect(!found[0].isSteady, "one frame says nothing about the next")
  }

  @Test(arguments: rates)
  func aToneEndsWhenAnotherSoundBegins(rate: SampleRate) {
    let tone = Self.sines([697, 1209], rate)
    let found = Self.findings(tone + Self.noise(rate), rate).dropFirst(50)
    #expect(found.allSatisfy { !$0.isSteady })
    let silent = Self.findings(tone + Signals.silence(rate.hertz / 2), rate).dropFirst(50)
    #expect(silent.allSatisfy { !$0.isSteady && !$0.isTone })
  }

  /// The tone has -16 dBFS.
  @Test(arguments: rates)
  func whatFollowsAToneIsNoVoiceForAMomentIfItIsSofter(rate: SampleRate) {
    let tone = Self.sines([1000], rate)
    let soft = Self.noise(rate, level: -40) + Self.noise(rate, level: -40)
    let after = Self.findings(tone + soft, rate).dropFirst(51)
    #expect(after.prefix(50).allSatisfy { $0.excludesVoice && !$0.isSteady })
    #expect(after.dropFirst(60).allSatisfy { !$0.excludesVoice })
    let loud = Self.findings(tone + Self.noise(rate), rate).dropFirst(51)
    #expect(loud.allSatisfy { !$0.excludesVoice })
  }

  @Test(arguments: rates)
  func noiseAndSilenceAreNoTones(rate: SampleRate) {
    for sound in [Self.noise(rate), Signals.silence(rate.hertz / 2)] {
      #expect(Self.findings(sound, rate).allSatisfy { !$0.isTone && !$0.isSteady })
    }
  }

  @Test(arguments: rates, tones)
  func aToneInNoiseIsNone(rate: SampleRate, frequencies: [Float]) {
    let noise = Self.noise(rate, level: -26)
    let sound = zip(Self.sines(frequencies, rate), noise).map { $0 + $1 }
    #expect(Self.findings(sound, rate).allSatisfy { !$0.isTone && !$0.isSteady })
  }

  @Test(arguments: rates)
  func faintNoiseHidesNoTone(rate: SampleRate) {
    let sound = zip(Self.sines([1000], rate), Self.noise(rate, level: -66)).map { $0 + $1 }
    #expect(Self.findings(sound, rate).dropFirst(6).allSatisfy { $0.isSteady })
  }

  @Test(arguments: rates)
  func aToneThatIsHardlyHeardIsNone(rate: SampleRate) {
    let found = Self.findings(Self.sines([1000], rate, level: -65), rate)
    #expect(found.allSatisfy { !$0.isTone && !$0.isSteady })
  }

  @Test func aVoiceIsNoSteadyTone() async throws {
    for voice in [try await Voices.far.value, try await Voices.near.value] {
      let found = Self.findings(voice, Voices.rate)
      let share = Float(found.count { $0.isSteady }) / Float(found.count)
      #expect(share < 0.01, "\(share)")
    }
  }

  /// Full scale, far above it, and no numbers at all.
  @Test(arguments: rates, [Float(1), 1e6, 1e30, .infinity, .nan])
  func aToneIsFoundAfterSquareWavesOfAnyLevel(rate: SampleRate, amplitude: Float) {
    let period = rate.hertz / 250
    let wave = (0..<rate.hertz / 2).map { $0 % period < period / 2 ? amplitude : -amplitude }
    let tone = Self.findings(wave + Self.sines([697, 1209], rate), rate).dropFirst(50)
    #expect(tone.dropFirst(8).allSatisfy { $0.isTone && $0.isSteady })
    let noise = Self.findings(wave + Self.noise(rate), rate).dropFirst(50)
    #expect(noise.dropFirst().allSatisfy { !$0.isTone && !$0.isSteady })
  }

  /// Returns half a second of noise that falls by 24 dB an octave above `edge`, in Hz, with -16
  /// dBFS.
  private static func lowNoise(_ rate: SampleRate, edge: Float) -> [Float] {
    var sound = noise(rate)
    let rest = exp(-2 * Float.pi * edge / Float(rate.hertz))
    for _ in 0..<4 {
      var last: Float = 0
      for index in sound.indices {
        last = rest * last + (1 - rest) * sound[index]
        sound[index] = last
      }
    }
    let power = sound.reduce(0) { $0 + $1 * $1 } / Float(sound.count)
    return sound.map { $0 * Decibels.factor(-16) / power.squareRoot() }
  }

  @Test(arguments: rates, [50, 100, 200, 400] as [Float])
  func lowNoiseAsOfWindIsNoTone(rate: SampleRate, edge: Float) {
    let found = Self.findings(Self.lowNoise(rate, edge: edge), rate)
    #expect(found.count { $0.isTone } <= 2)
    #expect(found.allSatisfy { !$0.excludesVoice })
  }
}
