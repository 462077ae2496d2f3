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
  func record(nanoseconds: Int64, now: ContinuousClock.Instant) {
    guard meter.record(nanoseconds: nanoseconds, now: now) else { return }
    guard let step = rule.record(load: meter.load, lateness: lateness(at: now)) else { return }
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

/// The part of a session in the load of its thread.
struct SessionLoad {
  /// The load that the thread expects of the session, as a share of its time.
  let predicted: Double
  /// Nil under the media clock, which does not count, and between two threads.
  private var place: (thread: ThreadLoad, place: ThreadLoad.Place)?

  init(predicted: Double) { self.predicted = predicted }

  /// Counts the session in the load of a thread, unless it counts already.
  mutating func enter(_ thread: ThreadLoad, for session: RunningSession) {
    guard place == nil else { return }
    place = (thread, thread.enter(session, predicted: predicted))
  }

  /// Counts the session no more.
  mutating func leave() {
    if let place { place.thread.leave(place.place) }
    place = nil
  }

  /// Records the time that frames took. Runs per frame: no allocation, lock, log or await.
  func record(nanoseconds: Int64, now: ContinuousClock.Instant) {
    place?.thread.record(nanoseconds: nanoseconds, now: now)
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

/// The rule that decides whether a thread takes one more session in real time.
///
/// Loads are shares of the thread's time. A session's predicted load is the time that its engine needs
/// for 10 ms of its audio.
struct FrameBudget: Sendable, Equatable {
  /// The share that the frames of all sessions in real time may take. 0 is no limit.
  let share: Double

  /// Returns whether one more session fits.
  ///
  /// A thread takes one session in any case. The sessions that run count with their predicted load, as
  /// they may have just started, or with their measured load if that is higher. If they need more than
  /// predicted, the new session is expected to need more by the same factor.
  func admits(_ session: Double, predicted: Double, measured: Double, running: Int) -> Bool {
    guard share > 0, running > 0 else { return true }
    let excess = predicted > 0 ? max(1, measured / predicted) : 1
    let average = measured / Double(running)
    let expected = session > 0 ? session * excess : average
    return max(predicted, measured) + expected <= share
  }
}

/// A meter of the share of a thread's time that goes into frames, smoothed over about two seconds.
struct LoadMeter {
  /// The time after which the share is computed again, in nanoseconds.
  static let period = Duration.milliseconds(100)
  private static let smoothing = Duration.seconds(2)

  private(set) var load = 0.0
  private var busyNanoseconds: Int64 = 0
  private var began: ContinuousClock.Instant?

  /// Records the time that frames took. Returns whether a period has ended. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func record(nanoseconds: Int64, now: ContinuousClock.Instant) -> Bool {
    guard let began else {
      self.began = now
      return false
    }
    busyNanoseconds += nanoseconds
    let elapsed = now - began
    guard elapsed >= Self.period else { return false }
    let share = min(1, Duration.nanoseconds(busyNanoseconds) / elapsed)
    load += (share - load) * (elapsed / (elapsed + Self.smoothing))
    busyNanoseconds = 0
    self.began = now
    return true
  }
}
