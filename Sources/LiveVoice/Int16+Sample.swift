extension Int16 {
  /// Creates the code of a sample, rounded and clipped. A sample that is no number becomes silence.
  init(sample: Float) {
    self.init(Swift.max(-32768, Swift.min(32767, (sample.isNaN ? 0 : sample * 32768).rounded())))
  }

  /// The code as a sample in -1...1.
  var sample: Float { Float(self) / 32768 }
}
