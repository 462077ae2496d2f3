/// The supported sampling rates. A frame of 10 ms is a whole number of samples at each.
public enum SampleRate: Int, Sendable, CaseIterable, Comparable {
  case hz8000 = 8000
  case hz16000 = 16000
  case hz24000 = 24000
  case hz32000 = 32000
  case hz44100 = 44100
  case hz48000 = 48000

  /// The number of samples of one channel in a second.
  public var hertz: Int { rawValue }

  /// The number of samples of one channel in a frame of 10 ms.
  public var samplesPerFrame: Int { rawValue / 100 }

  public static func < (left: SampleRate, right: SampleRate) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Returns the duration of any number of samples, rounded towards zero to nanoseconds.
  public func duration(ofSamples count: Int) -> Duration {
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: rawValue)
    return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / rawValue)
  }

  /// Returns the number of samples in a duration, rounded down.
  public func samples(in duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * rawValue + Int(attoseconds / 1_000_000_000) * rawValue / 1_000_000_000
  }

  /// Returns the number of samples of another rate that last as long as `count` of this rate, rounded
  /// to the nearest.
  public func convert(_ count: Int, to other: SampleRate) -> Int {
    (count * other.rawValue + rawValue / 2) / rawValue
  }
}
