extension Float {
  /// The sample, or silence if it is infinite or no number. A server ends a session with such samples.
  var orSilence: Float { isFinite ? self : 0 }
}
