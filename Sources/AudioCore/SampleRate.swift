/// The sampling rates that audio may have: those with whole 10 ms frames that devices use.
public enum SampleRate: Int, Sendable, CaseIterable, Comparable {
  case hz8000 = 8000
  case hz16000 = 16000
  case hz24000 = 24000
  case hz32000 = 32000
  case hz44100 = 44100
  case hz48000 = 48000

  /// Samples of one channel in a second.
  public var hertz: Int { rawValue }

  /// Samples of one channel in a frame of 10 ms.
  public var samplesPerFrame: Int { rawValue / 100 }

  public static func < (left: SampleRate, right: SampleRate) -> Bool {
    left.rawValue < right.rawValue
  }

  /// As long as `count` samples of this rate last.
  public func duration(ofSamples count: Int) -> Duration {
    .nanoseconds(Int64(count) * 1_000_000_000 / Int64(rawValue))
  }

  /// Samples of a duration, to the nearest below.
  public func samples(in duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * rawValue + Int(attoseconds / 1_000_000_000) * rawValue / 1_000_000_000
  }

  /// `count` samples of this rate, as samples of another, to the nearest.
  public func convert(_ count: Int, to other: SampleRate) -> Int {
    (count * other.rawValue + rawValue / 2) / rawValue
  }
}
