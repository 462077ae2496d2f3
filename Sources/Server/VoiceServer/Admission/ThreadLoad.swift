internal import GRPCTransport
internal import Synchronization

/// The load of one thread by its sessions in real time. Refuses sessions that do not fit, and steps the
/// running ones down while their frames are late. For use on that thread only.
///
/// Sessions under the media clock do not count: they run as fast as the thread lets them, and any of
/// their work may wait.
final class ThreadLoad {
  /// The place of a session.
  final class Place {
    fileprivate weak var session: RunningSession?
    fileprivate let predicted: Double

    fileprivate init(_ session: RunningSession, _ predicted: Double) {
      self.session = session
      self.predicted = predicted
    }
  }

  private let budget: FrameBudget
  private var places: [Place] = []
  private var meter = LoadMeter()
  private var rule: OverloadRule

  init(_ budget: FrameBudget) {
    self.budget = budget
    rule = OverloadRule(share: budget.share)
  }

  /// Throws RESOURCE_EXHAUSTED if a session with this predicted load does not fit.
  func check(_ session: Double) throws(Status) {
    let predicted = places.reduce(0) { $0 + $1.predicted }
    let fits = budget.admits(
      session, predicted: predicted, measured: places.isEmpty ? 0 : meter.load,
      running: places.count)
    if !fits { throw .overloaded }
  }

  /// Adds a session, and steps it down if the others run with less processing.
  func enter(_ session: RunningSession, predicted: Double) -> Place {
    let place = Place(session, predicted)
    places.append(place)
    if rule.step == .reduced { session.reduceProcessing(true) }
    return place
  }

  func leave(_ place: Place) { places.removeAll { $0 === place } }

  /// Records the time that frames of a session took. Runs per frame: no allocation, lock, log or
  /// await, unless the sessions take a step.
  func note(nanoseconds: Int64, now: ContinuousClock.Instant) {
    guard meter.note(nanoseconds: nanoseconds, now: now) else { return }
    guard let step = rule.note(load: meter.load, lateness: lateness(at: now)) else { return }
    for place in places { place.session?.reduceProcessing(step == .reduced) }
  }

  /// The smallest lateness of a session. A client that is late itself makes only its own session late;
  /// a thread that is late makes all of them late.
  private func lateness(at now: ContinuousClock.Instant) -> Duration {
    var least: Duration?
    for place in places {
      guard let lateness = place.session?.lateness(at: now) else { continue }
      least = min(least ?? lateness, lateness)
    }
    return least ?? .zero
  }
}

/// The loads of a server's threads.
final class ThreadLoads: Sendable {
  private let budget: FrameBudget
  private let loads = Mutex<[ObjectIdentifier: Load]>([:])

  /// A load that belongs to the thread that it is stored under.
  private struct Load: @unchecked Sendable {
    let load: ThreadLoad
  }

  init(_ budget: FrameBudget) { self.budget = budget }

  /// Returns the load of a thread. For use on that thread.
  func load(of thread: CallThread) -> ThreadLoad {
    loads.withLock { loads in
      if let known = loads[ObjectIdentifier(thread)] { return known }
      let load = Load(load: ThreadLoad(budget))
      loads[ObjectIdentifier(thread)] = load
      return load
    }.load
  }
}
