internal import Alignment
internal import AudioCore

/// Makes of each 10 ms of one clock so many samples as another clock has in that time.
struct ClockConverter: ~Copyable {
  /// Some hours at 500 ppm.
  private static let longest = 48000 * 10
  private var resampler: VariableResampler
  private let input: Frame
  private let output: Frame

  /// `speed` of the other clock, within 1000 ppm of 1.
  init(speed: Double) {
    let rate = SampleRate.hz48000
    resampler = VariableResampler(rate: rate, channelCount: 1, longestDelay: Self.longest)
    input = Frame(rate: rate, channelCount: 1)
    output = Frame(rate: rate, channelCount: 1)
    // In the middle, as a position can grow either way.
    resampler.move(to: Double(Self.longest / 2) + 0.5)
    while resampler.hasNextFrame() { resampler.read(into: output) }
    self.speed = speed
    resampler.slope = (1 - 1 / speed) * 1e6
  }

  var speed: Double { didSet { resampler.slope = (1 - 1 / speed) * 1e6 } }

  mutating func process(_ samples: [Float]) -> [Float] {
    for (index, sample) in samples.enumerated() { input.planePointers[0][index] = sample }
    resampler.write(input)
    var converted: [Float] = []
    while resampler.hasNextFrame() {
      resampler.read(into: output)
      converted += (0..<output.sampleCount).map { output.planePointers[0][$0] }
    }
    return converted
  }
}
