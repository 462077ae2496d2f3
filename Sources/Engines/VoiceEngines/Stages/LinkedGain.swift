public import AudioCore

/// Automatic gain control of two channels with one gain, which keeps the difference between left
/// and right.
///
/// A gain control with a gain for each channel would bring both to the same level. Therefore a control
/// of one channel gets the louder channel, sample by sample, and the gain that it applied in each
/// millisecond is applied to both channels.
public struct LinkedGain: ~Copyable {
  private static let blocksPerFrame = 10
  /// The mean square, -70 dBFS, below which a control that works with 16 bits is too coarse for a
  /// measurement of its gain.
  private static let leastPower: Float = 1e-7
  private static let gains: ClosedRange<Float> = 0.03...32

  private let louder: Frame
  private let controlled: Frame
  private let delayedLouder: Frame
  private var louderDelay: DelayLine
  private var delay: DelayLine
  private var gain: Float = 1

  /// `latencySamples` is the latency of the gain control.
  public init(_ format: EngineFormat, latencySamples: Int) {
    louder = Frame(rate: format.rate, channelCount: 1)
    controlled = Frame(rate: format.rate, channelCount: 1)
    delayedLouder = Frame(rate: format.rate, channelCount: 1)
    louderDelay = DelayLine(delay: latencySamples, channelCount: 1)
    delay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
  }

  /// Processes a frame of two channels. `control` processes one channel, from the first frame to the
  /// second. Runs per frame: no allocation, lock, log or await.
  public mutating func process(
    _ input: borrowing Frame, into output: borrowing Frame,
    by control: (_ input: borrowing Frame, _ output: borrowing Frame) -> Void
  ) {
    let (left, right) = (input.planePointers[0], input.planePointers[1])
    let target = louder.planePointers[0]
    for index in 0..<input.sampleCount {
      target[index] = abs(left[index]) >= abs(right[index]) ? left[index] : right[index]
    }
    control(louder, controlled)
    louderDelay.process(louder, into: delayedLouder)
    delay.process(input, into: output)
    let size = output.sampleCount / Self.blocksPerFrame
    for block in 0..<Self.blocksPerFrame { apply(to: output, block * size..<(block + 1) * size) }
  }

  /// Moves the gain to the value that was measured in these samples.
  private mutating func apply(to output: borrowing Frame, _ samples: Range<Int>) {
    let (before, after) = (delayedLouder.planePointers[0], controlled.planePointers[0])
    var (powerBefore, powerAfter): (Float, Float) = (0, 0)
    for index in samples {
      powerBefore += before[index] * before[index]
      powerAfter += after[index] * after[index]
    }
    let target =
      powerBefore < Self.leastPower * Float(samples.count)
      ? gain
      : min(
        max((powerAfter / powerBefore).squareRoot(), Self.gains.lowerBound), Self.gains.upperBound)
    let step = (target - gain) / Float(samples.count)
    for channel in 0..<output.channelCount {
      let plane = output.planePointers[channel]
      for (offset, index) in samples.enumerated() {
        plane[index] *= gain + step * Float(offset + 1)
      }
    }
    gain = target
  }
}
