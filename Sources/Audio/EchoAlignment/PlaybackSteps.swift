/// A change of the client's playback, from a sample of the reference on.
public struct PlaybackStep: Sendable, Equatable {
  /// The sample from which the reference follows the change.
  var sample: Int64
  /// The change of the playback rate, in parts per million.
  var rate: Double
  /// The samples by which the playback is heard later.
  var added: Int64
}

/// The steps that are reported but not read yet. Allocates only when it is created.
struct PlaybackSteps {
  private static let most = 8

  private var waiting: [PlaybackStep] = []

  init() { waiting.reserveCapacity(Self.most) }

  /// The sums of all waiting steps.
  var rate: Double { waiting.reduce(0) { $0 + $1.rate } }
  var added: Int64 { waiting.reduce(0) { $0 + $1.added } }

  mutating func removeAll() { waiting.removeAll(keepingCapacity: true) }

  /// Adds a step. If there is no room, it is merged with the last one.
  mutating func append(_ step: PlaybackStep) {
    if waiting.count < Self.most { return waiting.append(step) }
    waiting[Self.most - 1].rate += step.rate
    waiting[Self.most - 1].added += step.added
  }

  /// Removes and returns the first step if it begins at or before a sample.
  mutating func next(until sample: Double) -> PlaybackStep? {
    guard let first = waiting.first, Double(first.sample) <= sample else { return nil }
    return waiting.removeFirst()
  }
}
