internal import Synchronization

/// The correction of one direction that applies now. Other threads set it. A device's thread takes it
/// over when it has changed.
final class TuningSlot: Sendable {
  private let tuning = Mutex(Tuning.Direction())
  private let changes = Atomic<Int>(0)

  func set(_ new: Tuning.Direction) {
    let isNew = tuning.withLock { tuning in
      defer { tuning = new }
      return tuning != new
    }
    if isNew { changes.add(1, ordering: .releasing) }
  }

  var current: Tuning.Direction { tuning.withLock { $0 } }

  /// A number that grows with every change.
  var generation: Int { changes.load(ordering: .acquiring) }
}
