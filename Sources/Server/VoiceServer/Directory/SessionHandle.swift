internal import AnechoicAPI
internal import Authentication
internal import Foundation
internal import GRPCTransport
internal import Operations
internal import Synchronization
internal import VoiceEngines
internal import VoiceSessions

/// A running session as other threads see it. Some values can be read at once; all other work is
/// passed to the session's own thread.
final class SessionHandle: Sendable {
  let id: String
  let setup: SessionSetup
  let engine: EngineIdentity
  let health = SessionHealth()
  let createTime = Date.now
  let feed: EventFeed
  let labels: Mutex<[String: String]>
  /// The client that started the session.
  let owner: Principal
  /// Nil if the session ends with its connection.
  let resumption: Resumption?
  /// The secret with which another device joins the session. Nil if the session allows none.
  let joinToken: SecretToken?
  private let home: Mutex<Home>
  private let session = Mutex(ThreadBound<RunningSession>(nil))
  private let statistics = Mutex(SharedStatistics())
  private let pending = Mutex(PendingReplies())
  private let budgets = Mutex(ClientBudgets())

  init(
    id: String, _ setup: SessionSetup, engine: EngineIdentity, labels: [String: String],
    _ state: SessionState, _ thread: CallThread, owner: Principal, _ resumption: Resumption?
  ) {
    self.id = id
    self.setup = setup
    self.engine = engine
    self.labels = Mutex(labels)
    self.owner = owner
    self.resumption = resumption
    joinToken = setup.playsElsewhere ? SecretToken.make() : nil
    home = Mutex(.at(thread))
    feed = EventFeed(state)
  }

  /// The time for which the session waits for its lost client, or nil while it has one.
  var waitsForClient: Duration? { feed.session.isSuspended ? resumption?.window : nil }

  /// The resource name of the session.
  var name: String { "sessions/\(id)" }

  func set(_ labels: [String: String]) { self.labels.withLock { $0 = labels } }

  func bind(_ session: RunningSession) {
    self.session.withLock { $0 = ThreadBound(session) }
  }

  /// Runs `work` on the session's thread soon, unless the session ends first.
  func tell(_ work: @escaping @Sendable (RunningSession) -> Void) {
    perform { session in
      if let session { work(session) }
    }
  }

  /// Runs `question` on the session's thread, and returns the answer that it gives, at once or
  /// later. Throws NOT_FOUND if the session ends first.
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

  /// Runs `work` on the session's thread. Passes nil if the session is ending or has ended.
  func perform(_ work: @escaping @Sendable (RunningSession?) -> Void) {
    home.withLock { home in
      switch home {
      case .at(let thread): thread.perform { self.run(work, on: thread) }
      case .moving(let waiting): home = .moving(waiting + [work])
      }
    }
  }

  /// Runs `work`, unless the session has left the thread meanwhile. Then the work follows the session.
  private func run(_ work: @escaping Work, on thread: CallThread) {
    guard home.withLock({ $0.isAt(thread) }) else { return perform(work) }
    let session = session.withLock { $0.value }
    work(session?.isEnding ?? true ? nil : session)
  }

  /// Passes the session to another thread. Call this on the session's thread, which must not touch the
  /// session afterwards. `arrived` gets the session on the other thread, before any work that other
  /// connections ask for meanwhile.
  func move(
    _ session: RunningSession, to thread: CallThread,
    _ arrived: @escaping @Sendable (RunningSession) -> Void
  ) {
    home.withLock { $0 = .moving([]) }
    let luggage = Luggage(session: session)
    thread.perform {
      let waiting = self.home.withLock { home in
        defer { home = .at(thread) }
        return home.waiting
      }
      arrived(luggage.session)
      for work in waiting { self.run(work, on: thread) }
    }
  }

  /// Counts a change that another connection asks for. Throws RESOURCE_EXHAUSTED if there are too
  /// many.
  func spend(for client: Principal) throws(Status) {
    guard budgets.withLock({ $0.take(for: client, now: .now) }) else {
      throw .tooManyControls
    }
  }

  /// Counts another device that joins. Throws RESOURCE_EXHAUSTED if there are too many.
  func spendJoin() throws(Status) {
    guard budgets.withLock({ $0.joins.take(now: .now) }) else { throw .tooManyJoins }
  }

  /// Returns the session's statistics, at most 100 ms old. Callers that wait at the same time share
  /// one answer of the session's thread. Throws NOT_FOUND if the session ends first.
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
        guard let session else { return }  // `close` gives the answer.
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

  /// Answers all callers that wait for the session, because it has ended.
  func close() {
    feed.close()
    for fail in pending.withLock({ $0.close() }) { fail() }
    statistics.withLock { $0.isClosed = true }
    answer(.failure(Status.noSession(name)))
  }
}

/// The last known statistics of a session, and the callers that wait for newer ones.
private struct SharedStatistics {
  var known: (time: ContinuousClock.Instant, value: Anechoic_V1_SessionStats)?
  /// The callers that wait for one answer of the session's thread. While there are any, the
  /// question has been passed to the thread.
  var waiting: [Reply<Anechoic_V1_SessionStats>] = []
  var isClosed = false
}

/// The questions to a session that are not answered yet.
private struct PendingReplies {
  private var failures: [UInt64: @Sendable () -> Void] = [:]
  private var last: UInt64 = 0
  private var isClosed = false

  /// Adds a question. `failure` is called if the session ends first. Returns an id for `remove`, or
  /// nil if the session has ended.
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

private typealias Work = @Sendable (RunningSession?) -> Void

/// The thread of a session.
private enum Home {
  case at(CallThread)
  /// The session is on its way to another thread. The work waits for it there.
  case moving([Work])

  func isAt(_ thread: CallThread) -> Bool {
    if case .at(let home) = self { home === thread } else { false }
  }

  var waiting: [Work] { if case .moving(let waiting) = self { waiting } else { [] } }
}

/// A session on its way from one thread to another. Neither uses it meanwhile.
private struct Luggage: @unchecked Sendable {
  let session: RunningSession
}
