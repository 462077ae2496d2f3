internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import Synchronization
internal import VoiceSessions

/// A running session as other threads see it: what can be read at once, and a way to have
/// something done on the session's own thread.
final class SessionHandle: Sendable {
  let id: String
  let setup: SessionSetup
  let createTime = Date.now
  let feed: EventFeed
  let labels: Mutex<[String: String]>
  private let executor: CallExecutor
  private let session = Mutex(ThreadBound<RunningSession>(nil))
  private let statistics = Mutex(SharedStatistics())
  private let pending = Mutex(PendingReplies())
  private let budgets = Mutex(ClientBudgets())

  init(
    id: String, _ setup: SessionSetup, labels: [String: String], _ state: SessionState,
    _ executor: CallExecutor
  ) {
    self.id = id
    self.setup = setup
    self.labels = Mutex(labels)
    self.executor = executor
    feed = EventFeed(state)
  }

  /// The session's name.
  var name: String { "sessions/\(id)" }

  func bind(_ session: RunningSession) {
    self.session.withLock { $0 = ThreadBound(session) }
  }

  /// Has something done on the session's thread, soon, or never when the session ends first.
  func tell(_ work: @escaping @Sendable (RunningSession) -> Void) {
    perform { session in
      if let session { work(session) }
    }
  }

  /// Has a question answered on the session's thread, at once or later. Throws NOT_FOUND when the
  /// session ends first.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (RunningSession, Reply<Answer>) throws -> Void
  ) async throws -> Answer {
    let reply = Reply<Answer>()
    let name = name
    let ticket = pending.withLock { $0.add { reply.give(.failure(Status.noSession(name))) } }
    guard let ticket else { throw Status.noSession(name) }
    defer { pending.withLock { $0.remove(ticket) } }
    perform { session in
      guard let session else { return reply.give(.failure(Status.noSession(name))) }
      do { try question(session, reply) } catch { reply.give(.failure(error)) }
    }
    return try await reply.value()
  }

  /// Runs `work` on the session's thread, with nil where the session has ended.
  private func perform(_ work: @escaping @Sendable (RunningSession?) -> Void) {
    executor.perform {
      let session = self.session.withLock { $0.value }
      work(session?.isEnding ?? true ? nil : session)
    }
  }

  /// Counts a change that another connection wants. Throws RESOURCE_EXHAUSTED for too many.
  func spend(for client: Principal) throws(Status) {
    guard budgets.withLock({ $0.take(for: client, now: .now) }) else {
      throw .tooManyControls
    }
  }

  /// Returns the session's statistics, at most 100 ms old. Requests at the same time share one answer of
  /// the session's thread. Throws NOT_FOUND if the session ends first.
  func statistics() async throws -> Anechoic_V1_SessionStats {
    let reply = Reply<Anechoic_V1_SessionStats>()
    let isFirst = try statistics.withLock { statistics throws(Status) in
      guard !statistics.isClosed else { throw .noSession(name) }
      if let known = statistics.known, .now - known.time < .milliseconds(100) {
        reply.give(.success(known.value))
        return false
      }
      statistics.waiting.append(reply)
      return statistics.waiting.count == 1
    }
    if isFirst {
      perform { session in
        guard let session else { return }  // `close` answers
        self.answer(.success(session.statistics))
      }
    }
    return try await reply.value()
  }

  private func answer(_ result: Result<Anechoic_V1_SessionStats, any Error>) {
    let waiting = statistics.withLock { statistics in
      if case .success(let value) = result { statistics.known = (.now, value) }
      defer { statistics.waiting = [] }
      return statistics.waiting
    }
    for reply in waiting { reply.give(result) }
  }

  /// Tells everybody who waits for the session that it has ended.
  func close() {
    feed.close()
    for fail in pending.withLock({ $0.close() }) { fail() }
    statistics.withLock { $0.isClosed = true }
    answer(.failure(Status.noSession(name)))
  }
}

/// The statistics of a session as they were last, and who waits for newer ones.
private struct SharedStatistics {
  var known: (time: ContinuousClock.Instant, value: Anechoic_V1_SessionStats)?
  /// Of one question, which is on its way while anybody waits.
  var waiting: [Reply<Anechoic_V1_SessionStats>] = []
  var isClosed = false
}

/// The answers that are awaited of a session.
private struct PendingReplies {
  private var failures: [UInt64: @Sendable () -> Void] = [:]
  private var last: UInt64 = 0
  private var isClosed = false

  /// Nil once the session has ended.
  mutating func add(_ failure: @escaping @Sendable () -> Void) -> UInt64? {
    guard !isClosed else { return nil }
    last += 1
    failures[last] = failure
    return last
  }

  mutating func remove(_ ticket: UInt64) { failures[ticket] = nil }

  mutating func close() -> [@Sendable () -> Void] {
    isClosed = true
    defer { failures = [:] }
    return Array(failures.values)
  }
}
