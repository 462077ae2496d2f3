public import AudioCore

/// A downmix of two channels to one: their mean, or half of their difference while they are in
/// opposite phase.
///
/// The mean of channels in opposite phase is silence. A balanced microphone in a stereo socket, a
/// wire with the wrong polarity and some stereo effects cause this. The downmix follows 2LR / (L² +
/// R²), the correlation of the channels relative to their power: at -0.8, the mean is 10 dB softer
/// than the difference. A change is a linear cross-fade over one frame. The difference has the
/// polarity of the first channel.
public struct Downmix: ~Copyable {
  /// The share of the measurement that remains after each audible frame: the last 0.2 s count.
  private static let memory: Float = 0.9
  /// The relative correlation below which the difference begins.
  private static let oppositeLimit: Float = -0.8
  /// The relative correlation above which the mean begins again. Independent noise in the pauses of
  /// a voice, with a correlation of 0, changes nothing.
  private static let equalLimit: Float = 0.3
  /// The audible frames in a row that must be below the limit before the difference begins.
  private static let onsetFrames = 5
  /// The mean square below which a frame is not measured: -70 dBFS.
  private static let leastSquare: Float = 1e-7

  private var products = StereoProducts()
  private var oppositeFrames = 0
  /// The factor of the second channel at the end of the last frame: 1 or -1.
  private var factor: Float = 1

  public init() {}

  /// Converts a frame to the channel count of `output`, which has the same rate. Every other
  /// conversion than that of two channels to one is `Frame.remix`. Runs per frame: no allocation,
  /// lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    guard input.channelCount == 2, output.channelCount == 1 else { return output.remix(input) }
    let former = factor
    measure(input)
    guard former < 0 || factor < 0 else { return output.remix(input) }
    let (left, right) = (input.planePointers[0], input.planePointers[1])
    let target = output.planePointers[0]
    let step = (factor - former) / Float(output.sampleCount)
    for index in 0..<output.sampleCount {
      target[index] = (left[index] + right[index] * (former + step * Float(index + 1))) / 2
    }
  }

  /// Follows the correlation of the channels, and chooses the factor of the second one.
  private mutating func measure(_ input: borrowing Frame) {
    let frame = StereoProducts(input)
    guard frame.powers.sum() > Self.leastSquare * Float(2 * input.sampleCount),
      frame.powers.sum().isFinite
    else { return }
    products.add(frame, memory: Self.memory)
    let correlation = 2 * products.product / products.powers.sum()
    oppositeFrames =
      correlation < Self.oppositeLimit ? min(oppositeFrames + 1, Self.onsetFrames) : 0
    if oppositeFrames == Self.onsetFrames {
      factor = -1
    } else if correlation > Self.equalLimit {
      factor = 1
    }
  }
}
