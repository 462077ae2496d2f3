internal import AudioCore

/// The latency of each stage of libwebrtc-audio-processing 0.3 in samples. The values were
/// measured, and tests measure them again.
enum WebRTCLatency {
  /// Returns the latency of the echo canceller: one block at the rate of its bands, which is 7 ms,
  /// or 14 ms at 8 kHz.
  static func echoCancellation(_ rate: SampleRate) -> Int {
    112 * (rate.hertz / lowBandRate(rate)) + bandSplitting(rate)
  }

  /// Returns the latency of the noise suppressor: the overlap of its windows, 6 ms.
  static func noiseSuppression(_ rate: SampleRate) -> Int {
    rate.hertz * 6 / 1000 + bandSplitting(rate)
  }

  static func gainControl(_ rate: SampleRate) -> Int { bandSplitting(rate) }

  /// Returns the latency of splitting the signal into bands of 8 kHz and joining them.
  private static func bandSplitting(_ rate: SampleRate) -> Int {
    switch rate {
    case .hz48000: 46
    case .hz32000: 4
    default: 0
    }
  }

  private static func lowBandRate(_ rate: SampleRate) -> Int { min(rate.hertz, 16000) }
}
