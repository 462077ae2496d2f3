/// What a client said that it does from a sample of the reference on.
public struct PlaybackStep: Sendable, Equatable {
  /// Where the reference has to go with it.
  var sample: Int64
  /// By which it plays faster than before, in parts per million.
  var rate: Double
  /// Samples by which it is heard later.
  var added: Int64
}

/// Those that are told and not read yet. Allocates only when it is made.
struct PlaybackSteps {
  private static let most = 8

  private var waiting: [PlaybackStep] = []

  init() { waiting.reserveCapacity(Self.most) }

  /// What all of them do together.
  var rate: Double { waiting.reduce(0) { $0 + $1.rate } }
  var added: Int64 { waiting.reduce(0) { $0 + $1.added } }

  mutating func removeAll() { waiting.removeAll(keepingCapacity: true) }

  /// One that finds no room goes with the last.
  mutating func append(_ step: PlaybackStep) {
    if waiting.count < Self.most { return waiting.append(step) }
    waiting[Self.most - 1].rate += step.rate
    waiting[Self.most - 1].added += step.added
  }

  /// The next that begins before a sample, taken out.
  mutating func next(until sample: Double) -> PlaybackStep? {
    guard let first = waiting.first, Double(first.sample) <= sample else { return nil }
    return waiting.removeFirst()
  }
}
