import AudioCodecs
import AudioCore
import TestAudio
import Testing

struct DownmixTests {
  private static let rate = SampleRate.hz16000
  private static let voice = Signals.babble(4 * rate.hertz, rate: rate, seed: 7)
  private static let noises = [5, 6].map {
    Signals.noise(4 * rate.hertz, amplitude: 0.002, seed: $0)
  }

  /// Returns the downmix of two channels, made frame by frame.
  private func downmix(_ left: [Float], _ right: [Float]) -> [Float] {
    var downmix = Downmix()
    let input = Frame(rate: Self.rate, channelCount: 2)
    let output = Frame(rate: Self.rate, channelCount: 1)
    let size = input.sampleCount
    var result: [Float] = []
    for first in stride(from: 0, to: left.count, by: size) {
      for index in 0..<size {
        input.planePointers[0][index] = left[first + index]
        input.planePointers[1][index] = right[first + index]
      }
      downmix.process(input, into: output)
      result += output.plane(0)
    }
    return result
  }

  private func mean(_ left: [Float], _ right: [Float]) -> [Float] {
    zip(left, right).map { ($0 + $1) / 2 }
  }

  private func difference(_ left: [Float], _ right: [Float]) -> [Float] {
    zip(left, right).map { ($0 - $1) / 2 }
  }

  private func noisy(_ factor: Float, _ channel: Int) -> [Float] {
    zip(Self.voice, Self.noises[channel]).map { factor * $0 + $1 }
  }

  @Test(arguments: [1, 0.5, 0, -0.3] as [Float])
  func channelsThatAreNotOppositeBecomeTheirMean(factor: Float) {
    let (left, right) = (noisy(1, 0), noisy(factor, 1))
    #expect(downmix(left, right) == mean(left, right))
  }

  @Test func independentChannelsBecomeTheirMean() {
    let other = Signals.babble(4 * Self.rate.hertz, rate: Self.rate, seed: 97)
    #expect(downmix(Self.voice, other) == mean(Self.voice, other))
    #expect(downmix(Self.noises[0], Self.noises[1]) == mean(Self.noises[0], Self.noises[1]))
  }

  @Test(arguments: [-1, -0.98, -0.7, -1.3] as [Float])
  func oppositeChannelsBecomeHalfOfTheirDifference(factor: Float) {
    let right = Self.voice.map { factor * $0 }
    let found = downmix(Self.voice, right)
    let expected = difference(Self.voice, right)
    #expect(found[8000...] == expected[8000...])
  }

  @Test func aChangeInACallIsFollowedWithinHalfASecondWithoutAStep() {
    let opposite = noisy(-1, 1)
    let left = noisy(1, 0)
    let found = downmix(left + left + left, noisy(1, 1) + opposite + noisy(1, 1))
    let size = left.count
    #expect(found[..<size] == mean(left, noisy(1, 1))[...])
    #expect(Array(found[(size + 8000)..<(2 * size)]) == Array(difference(left, opposite)[8000...]))
    #expect(Array(found[(2 * size + 8000)...]) == Array(mean(left, noisy(1, 1))[8000...]))
    // A steady 500 Hz tone shows a step that a voice would hide.
    let tone = (0..<32_000).map { 0.5 * sinOf500Hz($0) }
    let turned = tone.enumerated().map { $0.offset < 16_000 ? $0.element : -$0.element }
    let mixed = downmix(tone, turned)
    let steps = zip(mixed[16_100...], mixed[16_101...]).map { abs($1 - $0) }
    #expect(steps.max() ?? 1 < 0.11)
  }

  @Test func theDifferenceStaysWhileOnlyNoiseIsHeard() {
    let left = noisy(1, 0) + Self.noises[0] + noisy(1, 0)
    let right = noisy(-1, 1) + Self.noises[1] + noisy(-1, 1)
    #expect(downmix(left, right)[8000...] == difference(left, right)[8000...])
  }

  @Test func anOffsetAndSilenceAreNoOppositePhase() {
    let left = noisy(1, 0).map { $0 + 0.3 }
    let right = noisy(1, 1).map { $0 - 0.3 }
    #expect(downmix(left, right) == mean(left, right))
    let soft = Self.noises[0].map { $0 / 20 }
    #expect(downmix(soft, soft.map { -$0 }).allSatisfy { $0 == 0 })
  }

  @Test func aConverterUsesIt() throws {
    var converter = try FrameConverter(from: Self.rate, 2, to: .hz48000, 1)
    let input = Frame(rate: Self.rate, channelCount: 2)
    let output = Frame(rate: .hz48000, channelCount: 1)
    var powers: [Float] = []
    for frame in 0..<200 {
      for index in 0..<input.sampleCount {
        let sample = 0.5 * sinOf500Hz(frame * input.sampleCount + index)
        input.planePointers[0][index] = sample
        input.planePointers[1][index] = -sample
      }
      converter.process(input, into: output)
      powers.append(output.meanSquare)
    }
    #expect(powers[50...].allSatisfy { abs($0 - 0.125) < 0.01 })
  }

  private func sinOf500Hz(_ index: Int) -> Float {
    // 32 samples are a period at 16 kHz.
    Float(
      [
        0.0, 0.195_090_32, 0.382_683_43, 0.555_570_23, 0.707_106_78, 0.831_469_61,
        0.923_879_53, 0.980_785_28, 1,
      ][index % 16 <= 8 ? index % 16 : 16 - index % 16])
      * (index % 32 < 16 ? 1 : -1)
  }
}
