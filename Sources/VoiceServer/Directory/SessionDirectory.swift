internal import GRPCTransport
internal import SessionRecording
internal import Synchronization
internal import VoiceSessions

/// The sessions that run on a server, and the limits on new ones.
final class SessionDirectory: Sendable {
  private struct State {
    /// The sessions by their ids. The value is nil while a session is starting.
    var sessions: [String: SessionHandle?] = [:]
    /// The hosts of the sessions' clients, by the ids of the sessions.
    var hosts: [String: String] = [:]
    /// The recorders that wait for a session that has not started yet, by the id of the session.
    var recorders: [String: RecordingQueue] = [:]
    /// The recordings of sessions that have started. Each is removed after its last byte was sent.
    var recordings: Set<ObjectIdentifier> = []
    var isDraining = false
    /// The replies to give when the last session and the last recording have ended.
    var waiting: [Reply<Void>] = []

    var isIdle: Bool { sessions.isEmpty && recordings.isEmpty }

    func tellIfIdle() {
      if isIdle { waiting.forEach { $0.give(.success(())) } }
    }
  }

  static let mostRecorders = 64

  let maximum: Int
  private let maximumPerHost: Int
  private let state = Mutex(State())

  /// Creates a directory for `maximum` sessions. `maximumPerHost` limits the sessions of each host;
  /// 0 is no limit.
  init(maximum: Int, maximumPerHost: Int = 0) {
    self.maximum = maximum
    self.maximumPerHost = maximumPerHost > 0 ? maximumPerHost : .max
  }

  var count: Int { state.withLock { $0.sessions.count } }

  /// The running sessions, ordered by their ids. A session that has ended is not included, although
  /// it keeps its place until its client has read everything.
  var sessions: [SessionHandle] {
    state.withLock { $0.sessions.values.compactMap { $0 } }
      .filter { !$0.feed.isClosed }.sorted { $0.id < $1.id }
  }

  /// The running session with an id, or nil.
  subscript(id: String) -> SessionHandle? {
    state.withLock { $0.sessions[id] ?? nil }.flatMap { $0.feed.isClosed ? nil : $0 }
  }

  /// Reserves a place for a session of a client on `host`. Throws if the id is taken, the server is
  /// full or about to stop, or the host already has as many sessions as it may have.
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

  /// Adds a recorder that waits for the session with an id to start. Throws if the session has
  /// started, if another recorder waits for it, or if too many recorders wait.
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

  /// Removes a recorder, because it no longer waits or because its recording has ended. Returns
  /// whether the recorder was still waiting for its session.
  @discardableResult
  func forget(_ recorder: RecordingQueue, of id: String) -> Bool {
    state.withLock { state in
      if state.recordings.remove(ObjectIdentifier(recorder)) != nil { state.tellIfIdle() }
      guard state.recorders[id] === recorder else { return false }
      state.recorders[id] = nil
      return true
    }
  }

  /// Returns the recorder that waits for a session that starts now, or nil. A server that stops
  /// waits until the recorder has been removed with `forget`.
  func takeRecorder(of id: String) -> RecordingQueue? {
    state.withLock { state in
      let recorder = state.recorders.removeValue(forKey: id)
      if let recorder { state.recordings.insert(ObjectIdentifier(recorder)) }
      return recorder
    }
  }

  /// Puts a session that has started into its reserved place.
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

  /// Refuses new sessions and announces the end to the running ones. Returns when the last session
  /// has ended and the last recording has been read, or after `grace`.
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

  /// Ends the sessions that still run. Returns when their recordings have been read, or after
  /// `limit`.
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
