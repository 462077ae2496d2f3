internal import GRPCTransport

/// The load of one thread by its sessions in real time. Refuses sessions that do not fit, and steps the
/// running ones down while their frames are late. For use on that thread only.
///
/// Sessions under the media clock do not count: they run as fast as the thread lets them, and any of
/// their work may wait.
final class ThreadLoad {
  /// The place of a session.
  final class Place {
    fileprivate weak var session: RunningSession?
    /// Nil under the media clock, which does not count.
    fileprivate let predicted: Double?

    fileprivate init(_ session: RunningSession, _ predicted: Double?) {
      self.session = session
      self.predicted = predicted
    }
  }

  private let budget: FrameBudget
  private let report: ThreadReport
  private let log: ServerLog
  private var places: [Place] = []
  private var predicted = 0.0
  private var hasOthers = false
  private var meter: LoadMeter
  private var rule: OverloadRule
  private var lateness = Duration.zero
  private var lastFrame: ContinuousClock.Instant?

  /// Creates the load of the calling thread. Other threads see it in the report.
  init(_ budget: FrameBudget, _ report: ThreadReport, _ log: ServerLog) {
    self.budget = budget
    self.report = report
    self.log = log
    meter = LoadMeter(.ofThisThread())
    rule = Self.rule(budget)
  }

  /// Returns the rule for a budget. Lateness is reported also without a budget.
  private static func rule(_ budget: FrameBudget) -> OverloadRule {
    OverloadRule(share: budget.share > 0 ? budget.share : 1)
  }

  /// Throws RESOURCE_EXHAUSTED if a session with this predicted load does not fit, or if the frames of
  /// the running ones are late.
  func check(_ session: Double) throws(Status) {
    let now = ContinuousClock.now
    let running = places.count { $0.predicted != nil }
    guard running > 0 else { return }
    forgetSilence(at: now)
    advance(nanoseconds: 0, now: now)
    let fits = budget.admits(session, predicted: predicted, measured: meter.load, running: running)
    if !fits || isReduced { throw .overloaded }
  }

  /// Whether sessions run with less processing.
  private var isReduced: Bool { rule.step == .reduced && budget.share > 0 }

  /// Adds a session, which runs from now on as the others do: with less processing, or with all of it
  /// after another thread where it ran with less. A predicted load of nil does not count.
  func enter(_ session: RunningSession, predicted: Double?) -> Place {
    let place = Place(session, predicted)
    places.append(place)
    changed()
    if predicted != nil { session.reduceProcessing(isReduced) }
    return place
  }

  func leave(_ place: Place) {
    places.removeAll { $0 === place }
    changed()
  }

  /// The share of the thread's time that is used, 0...1.
  var used: Double { meter.load }

  private func changed() {
    let counted = places.compactMap(\.predicted)
    predicted = counted.reduce(0, +)
    hasOthers = counted.count < places.count
    if counted.isEmpty { forget() }
    publish(now: .now)
  }

  /// Forgets the load and the lateness of the sessions that have left.
  private func forget() {
    meter.reset()
    lateness = .zero
    guard rule.step == .reduced else { return }
    rule = Self.rule(budget)
    log.threadLoadChanged(report.current(at: .now), isOverloaded: false)
  }

  /// Records the time that frames of a session took. Runs per frame: no allocation, lock, log or
  /// await, unless the sessions take a step.
  func record(nanoseconds: Int64, now: ContinuousClock.Instant) {
    forgetSilence(at: now)
    lastFrame = now
    advance(nanoseconds: nanoseconds, now: now)
  }

  /// Forgets that the thread was late if its sessions have sent nothing for a while since.
  private func forgetSilence(at now: ContinuousClock.Instant) {
    guard rule.step == .reduced, let lastFrame, now - lastFrame > ThreadReport.longestSilence
    else { return }
    forget()
    tell(isReduced: false)
  }

  /// Advances the load by frames, or by the time alone.
  private func advance(nanoseconds: Int64, now: ContinuousClock.Instant) {
    guard meter.record(nanoseconds: nanoseconds, onlyFrames: hasOthers, now: now) else { return }
    lateness = lateness(at: now)
    let step = rule.record(load: meter.load, lateness: lateness)
    publish(now: now)
    guard let step else { return }
    log.threadLoadChanged(report.current(at: now), isOverloaded: step == .reduced)
    tell(isReduced: step == .reduced)
  }

  /// Tells all sessions in real time how to run.
  private func tell(isReduced: Bool) {
    guard budget.share > 0 else { return }
    for place in places where place.predicted != nil { place.session?.reduceProcessing(isReduced) }
  }

  /// The smallest lateness of a session, while the thread has no time to spare. A client that is late
  /// itself makes only its own session late; a thread that is late makes all of them late.
  private func lateness(at now: ContinuousClock.Instant) -> Duration {
    guard meter.load >= OverloadRule.leastLoad else { return .zero }
    var least: Duration?
    for place in places where place.predicted != nil {
      guard let lateness = place.session?.lateness(at: now) else { continue }
      least = min(least ?? lateness, lateness)
    }
    return least ?? .zero
  }

  private func publish(now: ContinuousClock.Instant) {
    var count = 0
    for place in places where place.predicted != nil { count += 1 }
    report.publish(
      sessions: count, predicted: predicted, load: count > 0 ? meter.load : 0, lateness: lateness,
      isOverloaded: rule.step == .reduced && count > 0, now: now)
  }
}

/// The part of a session in the load of its thread.
struct SessionLoad {
  /// The load that the thread expects of the session, as a share of its time. Nil under the media
  /// clock, which does not count.
  let predicted: Double?
  /// Nil between two threads.
  private var place: (thread: ThreadLoad, place: ThreadLoad.Place)?

  init(predicted: Double?) { self.predicted = predicted }

  /// Enters the session into the load of a thread, unless it is there already.
  mutating func enter(_ thread: ThreadLoad, for session: RunningSession) {
    guard place == nil else { return }
    place = (thread, thread.enter(session, predicted: predicted))
  }

  /// The share of its time that the session's thread uses, 0...1. Nil under the media clock.
  var ofThread: Double? { predicted != nil ? place?.thread.used : nil }

  /// Counts the session no more.
  mutating func leave() {
    if let place { place.thread.leave(place.place) }
    place = nil
  }

  /// Records the time that frames took. Runs per frame: no allocation, lock, log or await.
  func record(nanoseconds: Int64, now: ContinuousClock.Instant) {
    guard let place, predicted != nil else { return }
    place.thread.record(nanoseconds: nanoseconds, now: now)
  }
}

/// The rule that decides whether a thread takes one more session in real time.
///
/// Loads are shares of the thread's time. A session's predicted load is the time that its engine, and
/// the parts beside it, need for 10 ms of its audio.
struct FrameBudget: Sendable, Equatable {
  /// The share that all sessions in real time may take. 0 is no limit.
  let share: Double

  /// The load of a thread that counts: the predicted load of its sessions, as they may have just
  /// started, or the measured load of the thread if that is higher.
  static func committed(predicted: Double, measured: Double) -> Double { max(predicted, measured) }

  /// Returns whether one more session fits.
  ///
  /// A thread takes one session in any case. If the running sessions need more than predicted, the new
  /// session is expected to need more by the same factor.
  func admits(_ session: Double, predicted: Double, measured: Double, running: Int) -> Bool {
    guard share > 0, running > 0 else { return true }
    let excess = predicted > 0 ? max(1, measured / predicted) : 1
    let average = measured / Double(running)
    let expected = session > 0 ? session * excess : average
    return Self.committed(predicted: predicted, measured: measured) + expected <= share
  }
}
