import AudioCore
import Testing

@testable import AnechoicEngine

struct ExplainedEchoTests {
  private static func power(_ level: Float) -> Float {
    Decibels.factor(level) * Decibels.factor(level)
  }

  /// Returns a frame of which `rest`, in decibels above the echo, is left.
  private func echo(rest: Float) -> ExplainedEcho {
    var explained = ExplainedEcho()
    explained.note(echo: Self.power(-20), rest: Self.power(-20 + rest))
    return explained
  }

  @Test func aVoiceBeginsWhereMoreThanMinus13DecibelsOfTheEchoAreLeft() {
    #expect(echo(rest: -12.5).leavesVoice(goesOn: false))
    #expect(!echo(rest: -13.5).leavesVoice(goesOn: false))
  }

  @Test func aVoiceGoesOnWhereMoreThanMinus20DecibelsOfTheEchoAreLeft() {
    #expect(echo(rest: -19.5).leavesVoice(goesOn: true))
    #expect(!echo(rest: -20.5).leavesVoice(goesOn: true))
  }

  @Test func anEchoIsHeardBesideARestThatIsLessThanTenDecibelsLouder() {
    #expect(echo(rest: 9.5).isHeard)
    #expect(!echo(rest: 10.5).isHeard)
  }

  @Test func withoutEchoAnyRestMayBeAVoiceAndNoEchoIsHeard() {
    let begin = ExplainedEcho()
    #expect(begin.leavesVoice(goesOn: false) && !begin.isHeard)
    for rest in [0, 1e-12, 1] as [Float] {
      var explained = ExplainedEcho()
      explained.note(echo: 0, rest: rest)
      #expect(explained.leavesVoice(goesOn: false) && explained.leavesVoice(goesOn: true))
      #expect(!explained.isHeard)
    }
  }

  /// A rest at -13 dB of an echo 60 dB softer.
  @Test(arguments: [power(-20), power(-60)])
  func reverberationFadesBy60DecibelsIn800Milliseconds(loudest: Float) {
    var explained = ExplainedEcho()
    let rest = loudest * 1e-6 * 0.05
    explained.note(echo: loudest, rest: rest)
    let frames = (1...200).first { _ in
      explained.note(echo: 0, rest: rest)
      return explained.leavesVoice(goesOn: false)
    }
    #expect(frames.map { abs($0 - 80) <= 2 } == true, "\(frames ?? 0)")
  }

  @Test func anEchoThatGrowsCountsAtOnce() {
    var explained = ExplainedEcho()
    explained.note(echo: Self.power(-60), rest: Self.power(-30))
    #expect(explained.leavesVoice(goesOn: false))
    explained.note(echo: Self.power(-5), rest: Self.power(-30))
    #expect(!explained.leavesVoice(goesOn: true) && explained.isHeard)
  }
}
