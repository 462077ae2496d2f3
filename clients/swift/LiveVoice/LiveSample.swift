/// A sample of a program's sound.
protocol LiveSample: BitwiseCopyable {
  /// Converts from -1...1.
  init(sample: Float)
  /// The sample in -1...1. Silence if it is infinite or not a number: a server ends a session with
  /// such samples.
  var sample: Float { get }
}

extension Float: LiveSample {
  init(sample: Float) { self = sample }

  var sample: Float { isFinite ? self : 0 }
}

extension Int16: LiveSample {
  init(sample: Float) {
    self.init(Swift.max(-32768, Swift.min(32767, (sample.isNaN ? 0 : sample * 32768).rounded())))
  }

  var sample: Float { Float(self) / 32768 }
}
