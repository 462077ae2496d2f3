internal import AudioCore

/// How long each stage of libwebrtc-audio-processing 0.3 holds the signal back, in samples.
/// Measured; the tests measure it again.
enum WebRTCLatency {
  /// A block of the echo canceller, in either of its two bands' rates: 7 ms, and 14 ms at 8 kHz.
  static func echoCancellation(_ rate: SampleRate) -> Int {
    112 * (rate.hertz / lowBandRate(rate)) + bandSplitting(rate)
  }

  /// The overlap of the noise suppressor's windows, 6 ms.
  static func noiseSuppression(_ rate: SampleRate) -> Int {
    rate.hertz * 6 / 1000 + bandSplitting(rate)
  }

  static func gainControl(_ rate: SampleRate) -> Int { bandSplitting(rate) }

  /// Splitting into bands of 8 kHz and joining them again.
  private static func bandSplitting(_ rate: SampleRate) -> Int {
    switch rate {
    case .hz48000: 46
    case .hz32000: 4
    default: 0
    }
  }

  private static func lowBandRate(_ rate: SampleRate) -> Int { min(rate.hertz, 16000) }
}
