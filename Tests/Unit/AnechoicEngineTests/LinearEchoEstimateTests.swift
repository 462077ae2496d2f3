import AudioCore
import Testing

@testable import AnechoicEngine

struct LinearEchoEstimateTests {
  private static func power(_ level: Float) -> Float {
    Decibels.factor(level) * Decibels.factor(level)
  }

  /// Returns a frame of which `rest`, in decibels above the echo, is left.
  private func echo(rest: Float) -> LinearEchoEstimate {
    var echoEstimate = LinearEchoEstimate()
    echoEstimate.record(echo: Self.power(-20), residual: Self.power(-20 + rest))
    return echoEstimate
  }

  @Test func aVoiceBeginsWhereMoreThanMinus13DecibelsOfTheEchoAreLeft() {
    #expect(echo(rest: -12.5).allowsVoice(continuing: false))
    #expect(!echo(rest: -13.5).allowsVoice(continuing: false))
  }

  @Test func aVoiceGoesOnWhereMoreThanMinus20DecibelsOfTheEchoAreLeft() {
    #expect(echo(rest: -19.5).allowsVoice(continuing: true))
    #expect(!echo(rest: -20.5).allowsVoice(continuing: true))
  }

  @Test func anEchoIsHeardBesideARestThatIsLessThanTenDecibelsLouder() {
    #expect(echo(rest: 9.5).isAudible)
    #expect(!echo(rest: 10.5).isAudible)
  }

  @Test func withoutEchoAnyRestMayBeAVoiceAndNoEchoIsHeard() {
    let begin = LinearEchoEstimate()
    #expect(begin.allowsVoice(continuing: false) && !begin.isAudible)
    for rest in [0, 1e-12, 1] as [Float] {
      var echoEstimate = LinearEchoEstimate()
      echoEstimate.record(echo: 0, residual: rest)
      #expect(
        echoEstimate.allowsVoice(continuing: false) && echoEstimate.allowsVoice(continuing: true))
      #expect(!echoEstimate.isAudible)
    }
  }

  /// A rest at -13 dB of an echo 60 dB softer.
  @Test(arguments: [power(-20), power(-60)])
  func reverberationFadesBy60DecibelsIn800Milliseconds(loudest: Float) {
    var echoEstimate = LinearEchoEstimate()
    let rest = loudest * 1e-6 * 0.05
    echoEstimate.record(echo: loudest, residual: rest)
    let frames = (1...200).first { _ in
      echoEstimate.record(echo: 0, residual: rest)
      return echoEstimate.allowsVoice(continuing: false)
    }
    #expect(frames.map { abs($0 - 80) <= 2 } == true, "\(frames ?? 0)")
  }

  @Test func anEchoThatGrowsCountsAtOnce() {
    var echoEstimate = LinearEchoEstimate()
    echoEstimate.record(echo: Self.power(-60), residual: Self.power(-30))
    #expect(echoEstimate.allowsVoice(continuing: false))
    echoEstimate.record(echo: Self.power(-5), residual: Self.power(-30))
    #expect(!echoEstimate.allowsVoice(continuing: true) && echoEstimate.isAudible)
  }
}
