/// Beats in real time, for a client whose device captures a frame every 10 ms. A late beat is followed by
/// the next one at once, so that the beats keep pace with the time.
public struct Metronome: Sendable {
  private let step: Duration
  private let start: ContinuousClock.Instant

  public init(every step: Duration, from start: ContinuousClock.Instant = .now) {
    self.step = step
    self.start = start
  }

  /// Waits until this number of steps has passed since the start.
  public func beat(_ number: Int) async throws {
    try await Task.sleep(until: start + step * number, clock: .continuous)
  }
}

/// Waits for a time that the test is about, and that no condition stands for: the pause of a slow client,
/// or a fault that lasts.
public func realTime(_ time: Duration) async throws { try await Task.sleep(for: time) }
