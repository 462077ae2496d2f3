internal import GRPCTransport
internal import SessionRecording
internal import Synchronization
internal import VoiceSessions

/// The sessions that run on this server, and whether new ones may come.
final class SessionDirectory: Sendable {
  private struct State {
    /// Nil for one that is about to start.
    var sessions: [String: SessionHandle?] = [:]
    /// The hosts of the sessions' clients.
    var hosts: [String: String] = [:]
    /// Who waits to record a session that has not started yet.
    var recorders: [String: RecordingQueue] = [:]
    /// Recordings of sessions that have started, until their last byte was sent.
    var recordings: Set<ObjectIdentifier> = []
    var isDraining = false
    /// The replies to give when the last session and the last recording have ended.
    var waiting: [Reply<Void>] = []

    var isIdle: Bool { sessions.isEmpty && recordings.isEmpty }

    func tellIfIdle() {
      if isIdle { waiting.forEach { $0.give(.success(())) } }
    }
  }

  private static let mostRecorders = 64

  let maximum: Int
  private let maximumPerHost: Int
  private let state = Mutex(State())

  /// `maximumPerHost` is 0 for no limit of a single host.
  init(maximum: Int, maximumPerHost: Int = 0) {
    self.maximum = maximum
    self.maximumPerHost = maximumPerHost > 0 ? maximumPerHost : .max
  }

  var count: Int { state.withLock { $0.sessions.count } }

  /// All that run, by their ids. One that has ended runs no more, though it keeps its place until
  /// its client has read the end.
  var sessions: [SessionHandle] {
    state.withLock { $0.sessions.values.compactMap { $0 } }
      .filter { !$0.feed.isClosed }.sorted { $0.id < $1.id }
  }

  /// One that runs.
  subscript(id: String) -> SessionHandle? {
    state.withLock { $0.sessions[id] ?? nil }.flatMap { $0.feed.isClosed ? nil : $0 }
  }

  /// Keeps a place for a client of a host. Throws when the id is taken, when the server is full or
  /// about to stop, and when the host has all the sessions that it may have.
  func reserve(_ id: String, for host: String) throws(Status) {
    let (maximum, maximumPerHost) = (maximum, maximumPerHost)
    let refusal: Status? = state.withLock { state in
      if state.isDraining { return .draining }
      if state.sessions[id] != nil { return .sessionExists(id) }
      if state.sessions.count >= maximum { return .full(maximum) }
      guard state.hosts.values.count(where: { $0 == host }) < maximumPerHost else {
        return .clientFull(maximumPerHost)
      }
      state.sessions[id] = .some(nil)
      state.hosts[id] = host
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Lets somebody record the session of an id when it starts. Throws where it has started, or
  /// somebody else waits for it, or too many wait.
  func await(_ id: String, recorder: RecordingQueue) throws(Status) {
    let refusal: Status? = state.withLock { state in
      if state.isDraining { return .draining }
      if state.sessions[id] != nil { return .sessionHasBegun(id) }
      if state.recorders[id] != nil { return .isRecorded(id) }
      if state.recorders.count >= Self.mostRecorders { return .tooManyRecorders }
      state.recorders[id] = recorder
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Forgets a recorder: its session is not waited for any more, or its recording has ended. Returns
  /// whether it still waited.
  @discardableResult
  func forget(_ recorder: RecordingQueue, of id: String) -> Bool {
    state.withLock { state in
      if state.recordings.remove(ObjectIdentifier(recorder)) != nil { state.tellIfIdle() }
      guard state.recorders[id] === recorder else { return false }
      state.recorders[id] = nil
      return true
    }
  }

  /// Returns who waits to record a session that starts now. A server that stops waits until the
  /// recorder is forgotten.
  func takeRecorder(of id: String) -> RecordingQueue? {
    state.withLock { state in
      let recorder = state.recorders.removeValue(forKey: id)
      if let recorder { state.recordings.insert(ObjectIdentifier(recorder)) }
      return recorder
    }
  }

  /// Takes the place that was kept.
  func enter(_ session: SessionHandle) {
    state.withLock { $0.sessions[session.id] = session }
  }

  func remove(_ id: String) {
    state.withLock { state in
      state.sessions.removeValue(forKey: id)
      state.hosts.removeValue(forKey: id)
      state.tellIfIdle()
    }
  }

  /// Takes no more sessions, tells those there are, and returns when the last one has ended and the
  /// last recording was read, or `grace` is over.
  func drain(grace: Duration) async {
    let recorders = state.withLock { state in
      state.isDraining = true
      defer { state.recorders = [:] }
      return Array(state.recorders.values)
    }
    for recorder in recorders { recorder.lose(.draining) }
    for session in sessions { session.tell { $0.announceEnd(in: grace) } }
    await waitUntilIdle(atMost: grace)
  }

  /// Ends the sessions that still run, and returns when their recordings were read too, or `limit` is
  /// over.
  func endAll(atMost limit: Duration) async {
    for session in sessions { session.tell { $0.end(.serverShutdown, .shutDown) } }
    await waitUntilIdle(atMost: limit)
  }

  private func waitUntilIdle(atMost limit: Duration) async {
    let isOver = Reply<Void>()
    state.withLock { state in
      if state.isIdle { isOver.give(.success(())) } else { state.waiting.append(isOver) }
    }
    let timeout = Task {
      try await Task.sleep(for: limit)
      isOver.give(.success(()))
    }
    try? await isOver.value()
    timeout.cancel()
  }
}
