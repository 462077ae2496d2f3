/// The hum of the mains in the lowest bands, which the features leave out.
///
/// A telephone line passes no voice below 300 Hz, but may have a hum of 50 or 60 Hz, of which the
/// high-pass filter leaves some. The training data have no such calls: the network took voices
/// between 300 and 3,400 Hz for noise. Hum is what stays at one level for long. Neither voices nor
/// noise do.
struct SteadyHum {
  /// The bands at 0 and 50 Hz, below any voice. The network knows hum in those above.
  static let bands = 2
  /// The values of all arrays.
  static let capacity = 5 * bands
  /// The part by which the mean follows a frame.
  private static let rate: Float = 0.1
  /// The most by which the mean of a steady band changes, 0.5 dB, for so many frames. The mean of a
  /// noise changes by more than 1 dB in a third of the time.
  private static let mostChange: Float = 1.122
  private static let frames: Float = 100
  /// The multiple of the mean hum that is removed from a frame. The power of a tone that is no
  /// multiple of 50 Hz fluctuates from frame to frame.
  private static let removed: Float = 2
  /// The part of the hum that remains in a frame of a band that is not steady: -0.9 dB in a second.
  private static let kept: Float = 0.998
  /// The power of a band below which nothing hums.
  private static let softest: Float = 1e-20

  private let mean: UnsafeMutablePointer<Float>
  /// The mean from which the band has not changed since it is steady.
  private let start: UnsafeMutablePointer<Float>
  private let steadyFrames: UnsafeMutablePointer<Float>
  private let level: UnsafeMutablePointer<Float>
  /// The gains for the bands of the last frame that remove the hum.
  let gains: UnsafeMutablePointer<Float>

  /// Uses memory of `capacity` values, which are 0.
  init(_ memory: UnsafeMutablePointer<Float>) {
    mean = memory
    start = mean + Self.bands
    steadyFrames = start + Self.bands
    level = steadyFrames + Self.bands
    gains = level + Self.bands
  }

  /// Records the powers of the bands in a frame, and removes the hum from them and from those of
  /// another signal. Runs per frame: no allocation, lock, log or await.
  func remove(
    from powers: UnsafeMutablePointer<Float>, and others: UnsafeMutablePointer<Float>
  ) {
    for band in 0..<Self.bands {
      let power = max(mean[band] + Self.rate * (powers[band] - mean[band]), Self.softest)
      mean[band] = power
      if power < Self.mostChange * start[band], start[band] < Self.mostChange * power {
        steadyFrames[band] += 1
      } else {
        (steadyFrames[band], start[band]) = (0, power)
      }
      level[band] = steadyFrames[band] >= Self.frames ? power : min(Self.kept * level[band], power)
      let hum = Self.removed * level[band]
      let rest = max(powers[band] - hum, 0)
      gains[band] = rest < powers[band] ? (rest / powers[band]).squareRoot() : 1
      powers[band] = rest
      others[band] = max(others[band] - hum, 0)
    }
  }
}
