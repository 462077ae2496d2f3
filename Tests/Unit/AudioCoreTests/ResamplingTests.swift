import AudioCodecs
import AudioCore
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
