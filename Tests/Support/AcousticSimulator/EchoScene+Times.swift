/// The times that the devices report, in seconds of a clock that both share and that started long
/// ago. The times vary by up to 1 ms.
extension EchoScene {
  private static let start = 1000.0
  private static let tremble = 0.001
  /// The time of the sound from loudspeaker to microphone. No device knows this time.
  private static let flight = 0.003

  /// Returns the time at which the microphone's device captured the sample at `seconds` of its
  /// input.
  public func captureTime(at seconds: Double) -> Duration {
    .seconds(Self.start + seconds + trembling(seconds, seed: 3))
  }

  /// Returns the time at which the loudspeaker's device played the sample at `seconds` of the
  /// reference.
  public func playbackTime(ofReference seconds: Double) -> Duration {
    .seconds(Self.start + heard(seconds) - Self.flight + trembling(seconds, seed: 4))
  }

  /// Returns the time at which the microphone hears the sample at `seconds` of the reference.
  public func heard(_ seconds: Double) -> Double {
    // Iterates, because the lag depends on the time that is searched.
    (0..<4).reduce(seconds + lag) { time, _ in seconds + lag(at: time) }
  }

  private func trembling(_ seconds: Double, seed: UInt32) -> Double {
    var noise = SeededNoise(seed &+ UInt32(truncatingIfNeeded: Int(seconds * 1000)) &* 7919)
    _ = noise.next()
    return Self.tremble * Double(noise.next())
  }
}
