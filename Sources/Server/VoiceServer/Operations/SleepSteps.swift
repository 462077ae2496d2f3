/// The steps of a sleep that is often cancelled.
///
/// The runtime of Swift keeps the timer of a `Task.sleep` that was cancelled, about 1 KB, until its
/// time is over. A limit of minutes or hours for each call would keep that of every call for as
/// long.
struct SleepSteps {
  /// The longest step, and so the time for which a cancelled sleep keeps memory.
  static let longest = Duration.seconds(5)

  private let end: ContinuousClock.Instant

  init(until end: ContinuousClock.Instant) { self.end = end }

  /// Returns the time to sleep next, or nil at the end.
  func next(at now: ContinuousClock.Instant) -> Duration? {
    let left = now.duration(to: end)
    return left > .zero ? min(left, Self.longest) : nil
  }
}

extension Task where Success == Never, Failure == Never {
  /// Sleeps for a time. Throws when the task is cancelled.
  static func sleep(inStepsFor duration: Duration) async throws {
    let steps = SleepSteps(until: .now + duration)
    while let step = steps.next(at: .now) { try await Task.sleep(for: step) }
  }
}
