import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

struct LimiterTests {
  @Test func audioBelowFullScaleIsUnchanged() {
    let input = Signals.noise(16000, amplitude: 1)
    #expect(limited([input])[0] == input)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func nothingIsAboveFullScale(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var amplitude: Float = 1
    let input = (0..<48000).map { _ in
      if random.happens(onceIn: 300) { amplitude = .random(in: 0.1...6, using: &random) }
      return Float.random(in: -amplitude...amplitude, using: &random)
    }
    let output = limited([input])[0]
    #expect(output.allSatisfy { abs($0) <= 1 })
    #expect(zip(input, output).allSatisfy { abs($1) <= abs($0) && $0 * $1 >= 0 })
  }

  @Test func theGainReturnsSoonAfterAPeak() {
    var input = [Float](repeating: 0.5, count: 16000)
    input[100] = 4
    let output = limited([input])[0]
    #expect(output[100] == 1)
    #expect(output[101] < 0.2)
    #expect(output[100 + 3 * 800] > 0.47)
    #expect(output.suffix(8000).elementsEqual(input.suffix(8000)))
  }

  @Test func bothChannelsAreLoweredAlike() {
    let loud = Signals.noise(3200, amplitude: 3, seed: 1)
    let output = limited([loud, loud.map { $0 / 4 }])
    #expect(zip(output[0], output[1]).allSatisfy { abs($0 / 4 - $1) < 1e-6 })
  }

  private func limited(_ planes: [[Float]]) -> [[Float]] {
    let frame = Frame(rate: .hz16000, channelCount: planes.count)
    var limiter = Limiter(rate: .hz16000)
    var output = planes.map { _ in [Float]() }
    for first in stride(from: 0, to: planes[0].count, by: frame.sampleCount) {
      for channel in planes.indices {
        _ = frame.plane(channel).update(
          fromContentsOf: planes[channel][first..<(first + frame.sampleCount)])
      }
      limiter.process(frame)
      for channel in planes.indices { output[channel] += frame.plane(channel) }
    }
    return output
  }
}
