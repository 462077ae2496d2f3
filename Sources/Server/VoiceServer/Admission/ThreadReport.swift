internal import GRPCTransport
internal import Operations
internal import Synchronization

/// The load of one thread as other threads see it. The thread publishes it every 100 ms while it has
/// audio.
final class ThreadReport: Sendable {
  /// The load of a thread at one time.
  struct Reading: Sendable, Equatable {
    /// The number of the thread, from 0.
    var thread: Int
    /// The sessions in real time.
    var sessions = 0
    /// The share of the thread's time that its sessions are expected to need.
    var predicted = 0.0
    /// The share of the thread's time that is used.
    var load = 0.0
    /// The time by which the frames of all sessions are late.
    var lateness = Duration.zero
    /// Whether the thread has been late for so long that it takes no sessions.
    var isOverloaded = false
  }

  /// The time without audio after which a thread has no load.
  static let longestSilence = Duration.seconds(5)

  private let thread: Int
  private let start = ContinuousClock.now
  private let sessions = Atomic<Int>(0)
  private let predicted = AtomicGauge()
  private let load = AtomicGauge()
  private let lateness = Atomic<Int64>(0)
  private let isOverloaded = Atomic<Bool>(false)
  private let published = Atomic<Int64>(0)

  init(thread: Int) { self.thread = thread }

  /// Runs per frame: no allocation, lock, log or await.
  func publish(
    sessions: Int, predicted: Double, load: Double, lateness: Duration, isOverloaded: Bool,
    now: ContinuousClock.Instant
  ) {
    self.sessions.store(sessions, ordering: .relaxed)
    self.predicted.set(predicted)
    self.load.set(load)
    self.lateness.store(lateness.nanoseconds, ordering: .relaxed)
    self.isOverloaded.store(isOverloaded, ordering: .relaxed)
    published.store(start.duration(to: now).nanoseconds, ordering: .relaxed)
  }

  /// The last reading. A thread whose sessions send no audio has neither load nor lateness.
  func current(at now: ContinuousClock.Instant) -> Reading {
    let age = start.duration(to: now).nanoseconds - published.load(ordering: .relaxed)
    let isSilent = age > Self.longestSilence.nanoseconds
    return Reading(
      thread: thread, sessions: sessions.load(ordering: .relaxed), predicted: predicted.value,
      load: isSilent ? 0 : load.value,
      lateness: isSilent ? .zero : .nanoseconds(lateness.load(ordering: .relaxed)),
      isOverloaded: !isSilent && isOverloaded.load(ordering: .relaxed))
  }
}

extension FrameBudget {
  /// Returns the part of a thread's budget that is taken: 1 or more if the thread is full or late.
  /// 0 without a budget.
  func taken(_ thread: ThreadReport.Reading) -> Double {
    guard share > 0, thread.sessions > 0 else { return 0 }
    let taken = Self.committed(predicted: thread.predicted, measured: thread.load) / share
    return thread.isOverloaded ? max(1, taken) : taken
  }

  /// Returns whether a thread refuses a session that needs as much as its running ones. A `margin` is
  /// a part of the budget that has to stay free.
  func isFull(_ thread: ThreadReport.Reading, margin: Double = 0) -> Bool {
    guard share > 0, thread.sessions > 0 else { return false }
    let usual = thread.predicted / Double(thread.sessions)
    return thread.isOverloaded
      || !FrameBudget(share: share * (1 - margin)).admits(
        usual, predicted: thread.predicted, measured: thread.load, running: thread.sessions)
  }
}
