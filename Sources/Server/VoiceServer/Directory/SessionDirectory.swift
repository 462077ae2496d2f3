internal import Authentication
internal import GRPCTransport
internal import SessionWire
internal import Synchronization
internal import VoiceSessions

/// The sessions that run on a server, and the limits on new ones.
final class SessionDirectory: Sendable {
  /// The place of a session, from its reservation to its end.
  private struct Place {
    var owner: Principal
    /// Nil while the session is starting.
    var session: SessionHandle?
  }

  private struct WaitingRecorder {
    let queue: RecordingQueue
    let client: Principal
  }

  private struct State {
    var maximum: Int
    /// The limit for one client, or 0 for no limit.
    var maximumPerClient: Int
    /// The places by the ids of their sessions.
    var places: [String: Place] = [:]
    /// The ids of the sessions that can be resumed, by their tokens.
    var tokens: [SecretToken: String] = [:]
    /// The ids of the sessions that another device can join, by their tokens.
    var joinTokens: [SecretToken: String] = [:]
    var guesses = ResumeTokenLimiter()
    /// The recorders that wait for a session that has not started yet, by the id of the session.
    /// For each id, one recorder of each client may wait.
    var recorders: [String: [WaitingRecorder]] = [:]
    /// The recordings of sessions that have started. Each is removed after its last byte was sent.
    var recordings: Set<ObjectIdentifier> = []
    /// The time at which the server ends the sessions. Nil until it begins to stop.
    var drainEnd: ContinuousClock.Instant?
    /// Whether the server has ended the sessions.
    var isOver = false
    /// Whether running sessions get no more time to end.
    var isHurried = false
    /// The replies to give when the sessions need no more time to end.
    var draining: [Reply<Void>] = []
    /// The replies to give when the last session and the last recording have ended.
    var waiting: [Reply<Void>] = []

    var mostPerClient: Int { maximumPerClient > 0 ? maximumPerClient : .max }
    var isDraining: Bool { drainEnd != nil }
    var sessions: [SessionHandle] { places.values.compactMap(\.session) }
    var isIdle: Bool { places.isEmpty && recordings.isEmpty }

    /// Removes and returns the first recorder of an id that meets a condition.
    mutating func takeRecorder(
      of id: String, where isWanted: (WaitingRecorder) -> Bool
    ) -> RecordingQueue? {
      guard let index = recorders[id]?.firstIndex(where: isWanted) else { return nil }
      let recorder = recorders[id]?.remove(at: index)
      if recorders[id]?.isEmpty == true { recorders[id] = nil }
      return recorder?.queue
    }

    /// Returns the refusal of a client that has as many sessions as it may have, not counting the one with
    /// the id, or nil.
    func refusal(of client: Principal, besides id: String) -> Status? {
      let others = places.count { $0.key != id && $0.value.owner.account == client.account }
      return others < mostPerClient
        ? nil : .clientFull(mostPerClient, isVerified: client.isVerified)
    }

    func tellIfIdle() {
      if isIdle { (waiting + draining).forEach { $0.give(.success(())) } }
    }
  }

  static let mostRecorders = 64

  /// Called after a session began, changed or ended, and after the server began to stop.
  let listeners = Listeners()
  private let state: Mutex<State>

  /// Creates a directory for `maximum` sessions. `maximumPerClient` limits the sessions of each
  /// verified client, or of each host if clients are not verified; 0 is no limit.
  init(maximum: Int, maximumPerClient: Int = 0) {
    state = Mutex(State(maximum: maximum, maximumPerClient: maximumPerClient))
  }

  var maximum: Int { state.withLock { $0.maximum } }
  var isFull: Bool { state.withLock { $0.places.count >= $0.maximum } }

  /// Changes the limits for new sessions.
  func limit(to maximum: Int, perClient: Int) {
    state.withLock {
      $0.maximum = maximum
      $0.maximumPerClient = perClient
    }
  }

  var count: Int { state.withLock { $0.places.count } }

  /// The running sessions, ordered by their ids. A session that has ended is not included, although
  /// it keeps its place until its client has read everything.
  var sessions: [SessionHandle] {
    state.withLock { $0.sessions }
      .filter { !$0.feed.isClosed }.sorted { $0.id < $1.id }
  }

  /// The running session with an id, or nil.
  subscript(id: String) -> SessionHandle? {
    state.withLock { $0.places[id]?.session }.flatMap { $0.feed.isClosed ? nil : $0 }
  }

  /// Reserves a place for a session of a client. Throws if the id is taken, the server is full or
  /// about to stop, or the client already has as many sessions as it may have.
  func reserve(_ id: String, for owner: Principal) throws(Status) {
    let refusal: Status? = state.withLock { state in
      if state.isDraining { return .draining }
      if let place = state.places[id] { return .sessionExists(id, place.session?.waitsForClient) }
      if state.places.count >= state.maximum { return .full(state.maximum) }
      if let refusal = state.refusal(of: owner, besides: id) { return refusal }
      state.places[id] = Place(owner: owner)
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Adds a recorder that waits for the session with an id to start. Throws if the session has
  /// started, if another recorder waits for it, or if too many recorders wait.
  ///
  /// For a client, the sessions and recorders of other clients do not exist, unless it or they have
  /// the scope `admin`.
  func await(_ id: String, recorder: RecordingQueue, of client: Principal) throws(Status) {
    let refusal: Status? = state.withLock { state in
      if state.isDraining { return .draining }
      if let owner = state.places[id]?.owner, client.owns(sessionOf: owner.name) {
        return .sessionHasBegun(id)
      }
      let before = state.recorders[id, default: []]
      if before.contains(where: { $0.client.owns(sessionOf: client.name) }) {
        return .isRecorded(id)
      }
      if state.recorders.values.reduce(0, { $0 + $1.count }) >= Self.mostRecorders {
        return .tooManyRecorders
      }
      state.recorders[id] = before + [WaitingRecorder(queue: recorder, client: client)]
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
      return state.takeRecorder(of: id) { $0.queue === recorder } != nil
    }
  }

  /// Returns the recorder that waits for a session of `owner` that starts now, or nil. A server that
  /// stops waits until the recorder has been removed with `forget`.
  func takeRecorder(of id: String, ownedBy owner: Principal) -> RecordingQueue? {
    state.withLock { state in
      let recorder =
        state.takeRecorder(of: id) { $0.client.name == owner.name }
        ?? state.takeRecorder(of: id) { $0.client.owns(sessionOf: owner.name) }
      if let recorder { state.recordings.insert(ObjectIdentifier(recorder)) }
      return recorder
    }
  }

  /// Puts a session that has started into its reserved place. If the server began to stop while the
  /// session was starting, tells the session.
  func enter(_ session: SessionHandle) {
    let (drainEnd, isOver) = state.withLock { state in
      state.places[session.id]?.session = session
      if let resumption = session.resumption { state.tokens[resumption.token] = session.id }
      if let token = session.joinToken { state.joinTokens[token] = session.id }
      return (state.drainEnd, state.isOver)
    }
    if isOver {
      session.tell { $0.end(.serverShutdown, .shutDown) }
    } else if let drainEnd {
      session.tell { $0.announceEnd(in: max(.zero, drainEnd - .now)) }
    }
    _ = session.feed.listen { [listeners] in listeners.tell() }
    listeners.tell()
  }

  /// Whether new sessions are refused, because the server is about to stop.
  var isDraining: Bool { state.withLock { $0.isDraining } }

  /// Returns the session that a client wants to resume. Throws the same status whether nobody has the
  /// token or another client has it.
  func session(resumedWith token: SecretToken, by client: Principal) throws(Status) -> SessionHandle
  {
    let found: Result<SessionHandle, Status> = state.withLock { state in
      if state.isDraining { return .failure(.draining) }
      guard let id = state.tokens[token], let session = state.places[id]?.session,
        session.owner.isSame(as: client), !session.feed.isClosed
      else {
        let isAllowed = state.guesses.take(for: client.account, now: .now)
        return .failure(isAllowed ? .resumeTokenUnknown : .tooManyTokens("start.resume_token"))
      }
      if let refusal = state.refusal(of: client, besides: id) { return .failure(refusal) }
      return .success(session)
    }
    return try found.get()
  }

  /// Counts a session for the client that resumes it. Throws if the client has too many sessions.
  func count(_ id: String, for client: Principal) throws(Status) {
    let refusal: Status? = state.withLock { state in
      if let refusal = state.refusal(of: client, besides: id) { return refusal }
      state.places[id]?.owner = client
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Returns the session that another device joins. A verified client joins its own sessions only.
  /// Throws the same status whether nobody has the token or another client has it.
  func session(joinedWith token: SecretToken, by client: Principal) throws(Status) -> SessionHandle
  {
    let found: Result<SessionHandle, Status> = state.withLock { state in
      guard let id = state.joinTokens[token], let session = state.places[id]?.session,
        !session.owner.isVerified || session.owner.isSame(as: client), !session.feed.isClosed
      else {
        let isAllowed = state.guesses.take(for: client.account, now: .now)
        return .failure(isAllowed ? .joinTokenUnknown : .tooManyTokens("token"))
      }
      return .success(session)
    }
    return try found.get()
  }

  /// Allows or forbids injection in all sessions.
  func allowInjection(_ isAllowed: Bool) {
    for session in sessions { session.tell { $0.allowInjection(isAllowed) } }
    listeners.tell()
  }

  func remove(_ id: String) {
    state.withLock { state in
      let session = state.places[id]?.session
      if let resumption = session?.resumption { state.tokens[resumption.token] = nil }
      if let token = session?.joinToken { state.joinTokens[token] = nil }
      state.places.removeValue(forKey: id)
      state.tellIfIdle()
    }
    listeners.tell()
  }

  /// Refuses new sessions and announces the end to the running ones. Returns when the last session
  /// has ended and the last recording has been read, after `grace`, or after `hurry`.
  func drain(grace: Duration) async {
    let (recorders, sessions) = state.withLock { state in
      state.drainEnd = .now + grace
      defer { state.recorders = [:] }
      return (state.recorders.values.flatMap { $0.map(\.queue) }, state.sessions)
    }
    for recorder in recorders { recorder.lose(.draining) }
    for session in sessions { session.tell { $0.announceEnd(in: grace) } }
    listeners.tell()
    await wait(atMost: grace) { state, isOver in
      if state.isHurried { isOver.give(.success(())) } else { state.draining.append(isOver) }
    }
  }

  /// Ends the wait of `drain`.
  func hurry() {
    state.withLock { state in
      state.isHurried = true
      state.draining.forEach { $0.give(.success(())) }
    }
  }

  /// Ends the sessions that still run. Returns when their recordings have been read, or after
  /// `limit`.
  func endAll(atMost limit: Duration) async {
    let sessions = state.withLock { state in
      state.isOver = true
      return state.sessions
    }
    for session in sessions { session.tell { $0.end(.serverShutdown, .shutDown) } }
    await wait(atMost: limit) { $0.waiting.append($1) }
  }

  /// Returns when no session and no recording is left, when the reply that `add` keeps is given, or
  /// after `limit`.
  private func wait(
    atMost limit: Duration, _ add: (inout State, Reply<Void>) -> Void
  ) async {
    let isOver = Reply<Void>()
    state.withLock { state in
      if state.isIdle { isOver.give(.success(())) } else { add(&state, isOver) }
    }
    let timeout = Task {
      try await Task.sleep(for: limit)
      isOver.give(.success(()))
    }
    try? await isOver.value()
    timeout.cancel()
  }
}
