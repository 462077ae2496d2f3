import AudioCodecs
import AudioCore
import Foundation
import Testing

struct ResamplingTests {
  @Test(arguments: SampleRate.allCases, SampleRate.allCases)
  func aFrameInIsAFrameOutForEver(input: SampleRate, output: SampleRate) throws {
    guard input != output else { return }
    var resampler = try FrameResampler(from: input, to: output, channelCount: 1)
    let source = Frame(rate: input, channelCount: 1)
    let target = Frame(rate: output, channelCount: 1)
    for index in 0..<source.sampleCount { source.plane(0)[index] = 0.5 }
    var hasHole = false
    for frame in 0..<500 {
      resampler.process(source, into: target)
      // A constant input produces a constant output. A missing sample would appear as a zero.
      if frame > 10 { hasHole = hasHole || target.plane(0).contains { abs($0 - 0.5) > 0.01 } }
    }
    #expect(!hasHole)
  }
}

struct StreamResamplerTests {
  private static let rates = [8000, 11025, 16000, 22050, 44100, 48000, 192_000]

  @Test(arguments: rates, SampleRate.allCases)
  func aToneStaysThatToneThroughPiecesOfAnyLength(input: Int, output: SampleRate) throws {
    let resampler = try StreamResampler(from: input, to: output)
    let source = tone(seconds: 1, rate: input)
    let result = convert(source, by: resampler)

    let ratio = Double(output.hertz) / Double(input)
    #expect(abs(Double(result.count) - Double(source.count) * ratio) <= 2)
    // The expected tone begins with the first sample, so a shifted output would not match.
    let expected = tone(seconds: 1, rate: output.hertz)
    let middle = output.hertz / 10..<output.hertz * 9 / 10
    let wanted = middle.reduce(Float(0)) { $0 + expected[$1] * expected[$1] }
    let got = middle.reduce(Float(0)) { $0 + result[$1] * expected[$1] }
    let rest = middle.reduce(Float(0)) {
      $0 + (result[$1] - expected[$1]) * (result[$1] - expected[$1])
    }
    #expect(abs(20 * log10(got / wanted)) < 0.1)
    #expect(10 * log10(rest / wanted) < -60)
  }

  @Test func theWayOfCuttingDoesNotMatter() throws {
    let source = tone(seconds: 0.5, rate: 22050)
    let whole = try StreamResampler(from: 22050, to: .hz48000).process(source, isLast: true)
    let pieces = convert(source, by: try StreamResampler(from: 22050, to: .hz48000))
    #expect(whole == pieces)
  }

  @Test func equalRatesPassThroughUntouched() throws {
    let source = tone(seconds: 0.1, rate: 48000)
    #expect(convert(source, by: try StreamResampler(from: 48000, to: .hz48000)) == source)
  }

  @Test func nothingBecomesNothing() throws {
    let resampler = try StreamResampler(from: 22050, to: .hz48000)
    #expect(resampler.process([], isLast: false).isEmpty)
    #expect(resampler.process([], isLast: true).isEmpty)
  }

  @Test func aSingleSampleComesOut() throws {
    let resampler = try StreamResampler(from: 22050, to: .hz48000)
    let result = resampler.process([0.5], isLast: true)
    #expect((1...4).contains(result.count))
  }

  @Test(arguments: [0, -48000, Int.min, 1, Int.max])
  func aRateOutOfReasonIsRefused(rate: Int) {
    #expect(throws: FrameResampler.ResamplingError.self) {
      _ = try StreamResampler(from: rate, to: .hz48000)
    }
  }

  /// Returns 1 kHz, beginning at a zero.
  private func tone(seconds: Double, rate: Int) -> [Float] {
    (0..<Int(seconds * Double(rate))).map {
      Float(0.5 * sin(2 * Double.pi * 1000 * Double($0) / Double(rate)))
    }
  }

  private func convert(_ source: [Float], by resampler: StreamResampler) -> [Float] {
    var result: [Float] = []
    var rest = source[...]
    for length in sequence(first: 1, next: { ($0 * 7 + 3) % 1999 }) {
      let piece = rest.prefix(length)
      rest = rest.dropFirst(length)
      result += resampler.process(Array(piece), isLast: rest.isEmpty)
      if rest.isEmpty { return result }
    }
    return result
  }
}
