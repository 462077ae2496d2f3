import AudioCore
import TestAudio
import Testing

@testable import VoiceEdge

/// The chirp test with synthetic sound.
struct ChirpTestTests {
  private static let rate = SampleRate.hz16000
  private static let heardAt: Int64 = 5_000_000_000

  /// Returns the sound at a microphone, from `lead` samples before the test sound on, delayed and
  /// attenuated.
  private func heard(delay: Int, gain: Float, noise: Float, lead: Int) -> [Float] {
    let sound = Signals.silence(lead) + ChirpTest.sound(Self.rate) + Signals.silence(8000)
    let echo = Signals.echo(of: sound, delay: delay, gain: gain)
    return zip(echo, Signals.noise(sound.count, amplitude: noise)).map { $0 + $1 }
  }

  private func analyse(
    delay: Int, gain: Float, noise: Float, lead: Int = 1600
  ) -> ChirpTest.Result {
    ChirpTest.analyse(
      heard(delay: delay, gain: gain, noise: noise, lead: lead), rate: Self.rate,
      capturedAt: Self.heardAt - Int64(lead) * 62_500, heardAt: Self.heardAt)
  }

  @Test(arguments: [0, 17, 480, 1600, 4000], [1, 0.1, 0.01] as [Float])
  func delayAndLossAreFound(delay: Int, gain: Float) throws {
    let result = analyse(delay: delay, gain: gain, noise: 0.002)
    let found = try #require(result.delay)
    #expect(abs(found - Double(delay) / 16) < 1, "\(found)")
    let loss = try #require(result.echoLoss)
    #expect(abs(loss + Double(Decibels.ofFactor(gain))) < 1, "\(loss)")
    #expect(abs(result.level - (-15 - loss)) < 0.01)
  }

  @Test(arguments: [0, 333, 7000])
  func theStartOfTheCaptureDoesNotMatter(lead: Int) throws {
    let result = analyse(delay: 480, gain: 0.3, noise: 0.001, lead: lead)
    #expect(abs(try #require(result.delay) - 30) < 1)
  }

  @Test(arguments: [0.01, 0.3] as [Float])
  func noiseAloneDoesNotCountAsChirp(amplitude: Float) {
    let result = analyse(delay: 480, gain: 0, noise: amplitude)
    #expect(result.delay == nil && result.echoLoss == nil)
    let expected = Double(Decibels.ofFactor(amplitude)) - 4.77
    #expect(abs(result.noise - expected) < 1, "\(result.noise)")
  }

  @Test func aChirpBeforeItIsPlayedIsNotHeard() {
    for milliseconds in [-9.9, -20, -50] {
      let early = ChirpTest.analyse(
        heard(delay: 0, gain: 0.5, noise: 0.002, lead: 1600), rate: Self.rate,
        capturedAt: Self.heardAt - 100_000_000,
        heardAt: Self.heardAt - Int64(milliseconds * 1e6))
      #expect(early.delay == nil && early.echoLoss == nil, "\(early)")
    }
  }

  @Test func anErrorOfTheDevicesTimesCausesNoNegativeTime() throws {
    let early = ChirpTest.analyse(
      heard(delay: 0, gain: 0.5, noise: 0.002, lead: 1600), rate: Self.rate,
      capturedAt: Self.heardAt - 100_000_000, heardAt: Self.heardAt + 2_000_000)
    #expect(try #require(early.delay) == 0)
  }

  @Test func silenceDoesNotCountAsChirp() {
    let silence = ChirpTest.analyse(
      Signals.silence(16000), rate: Self.rate, capturedAt: 0, heardAt: 100_000_000)
    #expect(silence.delay == nil && silence.level <= -119 && silence.noise <= -119)
    for count in [0, 1, 100] {
      let short = ChirpTest.analyse(
        Signals.silence(count), rate: Self.rate, capturedAt: 0, heardAt: 0)
      #expect(short.delay == nil)
    }
  }
}

extension Decibels {
  /// Returns the level of an amplitude.
  fileprivate static func ofFactor(_ factor: Float) -> Float { level(meanSquare: factor * factor) }
}
