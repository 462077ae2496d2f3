internal import BundledEngines
internal import Foundation
internal import Operations
internal import VoiceClient
internal import VoiceEngines
internal import VoiceServer

/// A measurement of the sessions of one kind that one thread of a server carries.
///
/// The server and its clients are in this process, and speak gRPC over 127.0.0.1. The lateness is the
/// one of `anechoic_frame_lateness_seconds`.
struct CapacityMeasurement {
  /// The result of one number of sessions.
  private struct Step {
    let sessions: Int
    let isLate: Bool
    let p99: Double
    let coreShare: Double
    let foreign: Double
    /// The share of the thread that admission expects of a session.
    let predicted: Double
  }

  /// The share of a core that admission fills.
  private static let budget = 0.8
  /// The share of the processors that others may use on a quiet machine.
  private static let quiet = 0.05
  /// The time after new sessions began that does not count.
  private static let settling = Duration.seconds(2)
  private static let first = 4

  private let kind: MeasuredKind
  private let late: Duration
  private let each: Duration
  private let most: Int
  private let limit: Duration
  private let tell: (String) -> Void

  /// Creates a measurement.
  ///
  /// - Parameters:
  ///   - late: The lateness that one frame in 100 may exceed: a bound of the metric.
  ///   - each: The time for which each number of sessions is measured.
  ///   - most: The most sessions.
  ///   - limit: The time after which no further number of sessions is tried.
  ///   - tell: Gets a line for people after each number of sessions.
  init(
    _ kind: MeasuredKind, late: Duration, each: Duration, most: Int, limit: Duration,
    tell: @escaping (String) -> Void
  ) {
    self.kind = kind
    self.late = late
    self.each = each
    self.most = most
    self.limit = limit
    self.tell = tell
  }

  /// Runs the measurement. Throws the failure of the server or of a session.
  func run() async throws -> CapacityReport.Kind {
    var configuration = ServerConfiguration(
      addresses: ["127.0.0.1:0"], threads: 1, engines: .bundled)
    configuration.limits.sessions = most
    configuration.limits.callsPerConnection = most + 16
    configuration.limits.frameBudget = 0
    let server = try VoiceProcessingServer(configuration)
    let load = CapacityLoad(kind, try kind.messages(), on: server.addresses[0])
    do {
      await server.measureEngines()
      let result = try await steps(server, load, configuration.metrics.frameLateness)
      await load.end(downTo: 0)
      await server.stop(grace: .zero)
      return result
    } catch {
      await load.end(downTo: 0)
      await server.stop(grace: .zero)
      throw error
    }
  }

  /// Adds sessions until frames are late, and then looks for the most that are on time.
  private func steps(
    _ server: VoiceProcessingServer, _ load: CapacityLoad, _ lateness: AtomicHistogram
  ) async throws -> CapacityReport.Kind {
    let end = ContinuousClock.now + limit
    var steps: [Step] = []
    var (onTime, late): (Step?, Step?) = (nil, nil)
    var sessions = min(Self.first, most)
    while ContinuousClock.now < end || steps.isEmpty {
      var step = try await step(sessions, server, load, lateness)
      if step.isLate {
        // Another program may have disturbed it. Audio that waits must not make later steps late.
        await load.end(downTo: 0)
        step = try await self.step(sessions, server, load, lateness)
      }
      if step.isLate { await load.end(downTo: 0) }
      steps.append(step)
      if step.isLate { late = step } else { onTime = step }
      guard let next = next(after: onTime, before: late?.sessions) else { break }
      sessions = next
    }
    return report(steps, onTime, late)
  }

  /// Measures a number of sessions.
  private func step(
    _ sessions: Int, _ server: VoiceProcessingServer, _ load: CapacityLoad,
    _ lateness: AtomicHistogram
  ) async throws -> Step {
    try await load.resize(to: sessions)
    try await Task.sleep(for: Self.settling)
    let step = try await measure(sessions, server, load, lateness)
    tell(
      "\(sessions) sessions, \(Int(step.coreShare * 100)) % of a core, 99 % within "
        + "\(Int(step.p99 * 1000)) ms\(step.isLate ? ": late" : "")")
    return step
  }

  private func measure(
    _ sessions: Int, _ server: VoiceProcessingServer, _ load: CapacityLoad,
    _ lateness: AtomicHistogram
  ) async throws -> Step {
    let (before, began) = (lateness.snapshot, ProcessorUse(ofThread: "grpc-queue-0"))
    try await Task.sleep(for: each)
    let shares = began.shares(until: ProcessorUse(ofThread: "grpc-queue-0"))
    let after = lateness.snapshot
    try load.check()
    let counts = zip(after.cumulative, before.cumulative).map { Double($0 - $1) }
    let frames = counts.last ?? 0
    let allowed = lateness.bounds.firstIndex { $0 * 1000 >= late / .milliseconds(1) - 0.5 } ?? 0
    // A thread that processes too few frames is late as well.
    let expected = Double(sessions) * (each / .milliseconds(10))
    return Step(
      sessions: sessions,
      isLate: counts[allowed] < 0.99 * frames || frames < 0.98 * expected,
      p99: Self.percentile(0.99, counts, lateness.bounds), coreShare: shares.thread,
      foreign: shares.foreign,
      predicted: server.figures(ofThread: 0).predicted / Double(sessions))
  }

  /// Returns the next number of sessions: in the middle between those that were on time and those that
  /// were late. As long as none were late, half of what is left of the core more. Nil when the two
  /// are within 4 %, or at the limit.
  private func next(after onTime: Step?, before late: Int?) -> Int? {
    let sessions = onTime?.sessions ?? 0
    let least = max(1, sessions * 4 / 100)
    if let late { return late - sessions > least ? (late + sessions) / 2 : nil }
    guard let onTime, sessions < most else { return nil }
    let each = max(onTime.coreShare / Double(sessions), 1e-4)
    return min(most, sessions + max(least, Int((1 - onTime.coreShare) / each / 2)))
  }

  private func report(
    _ steps: [Step], _ onTime: Step?, _ late: Step?
  ) -> CapacityReport.Kind {
    // The largest number on time has the smallest error.
    let reference = onTime ?? steps[0]
    let share = reference.coreShare / Double(reference.sessions)
    let foreign = steps.map(\.foreign).reduce(0, +) / Double(steps.count)
    return CapacityReport.Kind(
      kind: kind.rawValue, sessionsOnTime: onTime?.sessions ?? 0,
      sessionsLate: late?.sessions,
      p99LateMilliseconds: reference.p99 * 1000, coreShare: share,
      sessionsInBudget: Int(Self.budget / max(share, 1e-6)), predictedShare: reference.predicted,
      foreignShare: foreign, isNoisy: foreign > Self.quiet)
  }

  /// Returns a percentile in seconds, interpolated within a class as Prometheus does.
  private static func percentile(_ share: Double, _ counts: [Double], _ bounds: [Double]) -> Double
  {
    let wanted = (counts.last ?? 0) * share
    var (lower, seen) = (0.0, 0.0)
    for (bound, count) in zip(bounds, counts) {
      if count >= wanted { return lower + (bound - lower) * (wanted - seen) / max(count - seen, 1) }
      (lower, seen) = (bound, count)
    }
    return lower
  }
}
