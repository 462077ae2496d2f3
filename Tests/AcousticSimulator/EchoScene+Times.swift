/// What the devices' clocks say, in seconds of a clock that both share and that began long ago. Their
/// times tremble by up to a millisecond.
extension EchoScene {
  private static let start = 1000.0
  private static let tremble = 0.001
  /// From the loudspeaker to the microphone, which no device knows of.
  private static let flight = 0.003

  /// When the microphone's device captured what is so many seconds after the start of its input.
  public func captureTime(at seconds: Double) -> Duration {
    .seconds(Self.start + seconds + trembling(seconds, seed: 3))
  }

  /// When the loudspeaker's device played what is so many seconds after the start of the reference.
  public func playbackTime(ofReference seconds: Double) -> Duration {
    .seconds(Self.start + heard(seconds) - Self.flight + trembling(seconds, seed: 4))
  }

  /// When the microphone hears it.
  public func heard(_ seconds: Double) -> Double {
    // The lag depends on the time that is looked for.
    (0..<4).reduce(seconds + lag) { time, _ in seconds + lag(at: time) }
  }

  private func trembling(_ seconds: Double, seed: UInt32) -> Double {
    var noise = SeededNoise(seed &+ UInt32(truncatingIfNeeded: Int(seconds * 1000)) &* 7919)
    _ = noise.next()
    return Self.tremble * Double(noise.next())
  }
}
