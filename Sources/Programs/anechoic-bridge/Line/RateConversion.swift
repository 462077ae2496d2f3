internal import AudioCodecs
internal import AudioCore

/// The conversion of sound that comes in pieces to the rate of a microphone. Other rates than those of the
/// piece before start a new conversion.
struct RateConversion {
  private var rates: (from: Int, to: Int) = (0, 0)
  private var converter: StreamResampler?

  /// Returns samples of `source` Hz at `target` Hz, or nil if that is not possible.
  mutating func convert(_ samples: [Int16], from source: Int, to target: Int) -> [Int16]? {
    guard source != target else { return samples }
    guard let rate = SampleRate(rawValue: target) else { return nil }
    if converter == nil || rates != (source, target) {
      rates = (source, target)
      converter = try? StreamResampler(from: source, to: rate)
    }
    guard let converter else { return nil }
    return converter.process(samples.map { Float($0) / 32768 }, isLast: false).map {
      Int16(max(-32768, min(32767, ($0 * 32768).rounded())))
    }
  }

  /// Starts a new conversion.
  mutating func restart() { converter = nil }
}
