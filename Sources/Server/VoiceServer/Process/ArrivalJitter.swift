/// A meter of the jitter with which media arrives: the mean deviation of the times between arrivals
/// from the times between the media (RFC 3550, section 6.4.1).
struct ArrivalJitter {
  private static let share = 16

  private var last: (media: Duration, arrival: ContinuousClock.Instant)?
  private var mean = Duration.zero

  /// The jitter. Nil before the second arrival.
  private(set) var value: Duration?

  /// Forgets the last arrival, because the media continues on another connection.
  mutating func restart() { last = nil }

  /// Records the arrival of the media up to the time `media`. Runs per frame: no allocation, lock,
  /// log or await.
  mutating func record(media: Duration, now: ContinuousClock.Instant) {
    defer { last = (media, now) }
    guard let last else { return }
    let difference = (now - last.arrival) - (media - last.media)
    mean += ((difference < .zero ? .zero - difference : difference) - mean) / Self.share
    value = mean
  }
}
