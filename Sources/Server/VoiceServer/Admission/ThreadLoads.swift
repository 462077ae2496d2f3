internal import GRPCTransport
internal import Operations
internal import Synchronization

/// The loads of a server's threads.
final class ThreadLoads: Sendable {
  private let budget: FrameBudget
  private let log: ServerLog
  private let reports: [ThreadReport]
  private let loads = Mutex<[ObjectIdentifier: Load]>([:])
  private let fullness = Mutex(FullnessRule())

  /// A load that belongs to the thread that it is stored under.
  private struct Load: @unchecked Sendable {
    let load: ThreadLoad
  }

  init(_ budget: FrameBudget, threads: Int = 1, log: ServerLog = .silent) {
    self.budget = budget
    self.log = log
    reports = (0..<max(1, threads)).map { ThreadReport(thread: $0) }
  }

  /// Returns the load of a thread. For use on that thread.
  func load(of thread: CallThread) -> ThreadLoad {
    loads.withLock { loads in
      if let known = loads[ObjectIdentifier(thread)] { return known }
      let report = reports[min(loads.count, reports.count - 1)]
      let load = Load(load: ThreadLoad(budget, report, log))
      loads[ObjectIdentifier(thread)] = load
      return load
    }.load
  }

  /// The mean part of the threads' budgets that is taken.
  var taken: Double {
    let now = ContinuousClock.now
    return reports.reduce(0) { $0 + budget.taken($1.current(at: now)) } / Double(reports.count)
  }

  /// Whether no thread takes one more session like those that run.
  var isFull: Bool {
    let now = ContinuousClock.now
    let readings = reports.map { $0.current(at: now) }
    return fullness.withLock {
      $0.record(
        isFull: readings.allSatisfy { budget.isFull($0) },
        hasRoom: readings.contains { !budget.isFull($0, margin: FullnessRule.margin) }, now: now)
    }
  }

  /// Returns the figures of a thread for metrics.
  func figures(ofThread number: Int) -> ThreadFigures {
    let reading = reports[number].current(at: .now)
    return ThreadFigures(
      load: reading.load, predicted: reading.predicted, admitted: budget.taken(reading),
      lateness: reading.lateness / .seconds(1),
      isOverloaded: reading.isOverloaded,
      reducedSessions: reading.isOverloaded && budget.share > 0 ? reading.sessions : 0)
  }
}
