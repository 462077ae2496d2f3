import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

struct OppositeChannelsTests {
  private static let rate = SampleRate.hz16000
  private static let voice = Signals.babble(6 * rate.hertz, rate: rate, seed: 41)
  private static let noises = [5, 6].map {
    Signals.noise(6 * rate.hertz, amplitude: 0.002, seed: $0)
  }

  /// Returns the warnings of a session with two channels, and the seconds at which they come.
  private func warnings(_ left: [Float], _ right: [Float]) throws -> [(Bool, Double)] {
    let run = try SessionRun(SessionSetup(microphone: .f32(Self.rate, 2)))
    try run.send(microphone: encode([left, right], .f32), in: 8 * 160)
    run.finish()
    return run.sink.events.compactMap { event in
      guard case .captureWarning(.oppositeChannels, let isActive) = event.kind else { return nil }
      return (isActive, Double(event.microphoneSample) / Double(Self.rate.hertz))
    }
  }

  private func noisy(_ factor: Float, _ channel: Int) -> [Float] {
    zip(Self.voice, Self.noises[channel]).map { factor * $0 + $1 }
  }

  @Test(arguments: [-1, -0.5, -2] as [Float])
  func channelsInOppositePhaseCauseAWarningUntilTheyAgree(factor: Float) throws {
    let turned = noisy(factor, 1) + noisy(1, 1)
    let found = try warnings(noisy(1, 0) + noisy(1, 0), turned)
    #expect(found.map(\.0) == [true, false], "\(found)")
    #expect(found[0].1 < 5 && found[1].1 > 6 && found[1].1 < 11, "\(found)")
  }

  @Test func anOffsetDoesNotHideThem() throws {
    let found = try warnings(noisy(1, 0).map { $0 + 0.1 }, noisy(-1, 1).map { $0 + 0.1 })
    #expect(found.map(\.0) == [true])
  }

  @Test func otherChannelsCauseNoWarning() throws {
    let other = Signals.babble(6 * Self.rate.hertz, rate: Self.rate, seed: 97)
    #expect(try warnings(noisy(1, 0), noisy(1, 1)).isEmpty)
    #expect(try warnings(noisy(1, 0), Self.noises[1]).isEmpty)
    #expect(try warnings(noisy(1, 0), other).isEmpty)
    #expect(try warnings(Self.noises[0].map { $0 / 10 }, Self.noises[0].map { -$0 / 10 }).isEmpty)
  }
}
