/// How unevenly media comes: the mean deviation of the times between arrivals from those of the media
/// (RFC 3550, section 6.4.1).
struct ArrivalJitter {
  private static let share = 16

  private var last: (media: Duration, arrival: ContinuousClock.Instant)?
  private var mean = Duration.zero

  /// Nil before two arrivals.
  private(set) var value: Duration?

  /// Notes that the media up to `media` has come. Runs per frame: no allocation, lock, log or await.
  mutating func note(media: Duration, now: ContinuousClock.Instant) {
    defer { last = (media, now) }
    guard let last else { return }
    let difference = (now - last.arrival) - (media - last.media)
    mean += ((difference < .zero ? .zero - difference : difference) - mean) / Self.share
    value = mean
  }
}
