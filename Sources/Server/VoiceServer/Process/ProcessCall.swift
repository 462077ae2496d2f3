internal import AnechoicAPI
internal import AudioCore
internal import Authentication
internal import GRPCTransport
internal import Operations
internal import SessionWire
internal import SpatialAudio
internal import VoiceEngines
internal import VoiceSessions

/// A `Process` call, which is one session. It takes requests and sends responses, all on the call's
/// thread.
final class ProcessCall: ServerCallHandler {
  private enum State {
    case awaitingStart
    /// The first request has arrived and waits for its turn, or for the session that it resumes.
    case starting
    case running(RunningSession)
    case over
  }

  /// The time without a message after which a client that does not read has lost its connection.
  private static let longestSilence = Duration.seconds(2)

  private let call: ServerCall
  private let configuration: ServerConfiguration
  private let directory: SessionDirectory
  private let loads: ThreadLoads
  private let costs: EngineCosts
  private var state = State.awaitingStart
  private var session: RunningSession?
  /// Whether the session reads nothing until its client has read more.
  private var isHeldBack = false
  private var lastMessage: ContinuousClock.Instant
  private var resumption: Timer?
  /// The responses that were loaded for the session that starts.
  private var responses: HeadRelatedSet?
  private lazy var output = OutgoingMessages(call, limit: configuration.unreadLimit) {
    [weak self] in self?.overflowed()
  }

  init(
    _ call: ServerCall, _ configuration: ServerConfiguration, _ directory: SessionDirectory,
    _ loads: ThreadLoads, _ costs: EngineCosts
  ) {
    self.call = call
    lastMessage = call.thread.now
    self.configuration = configuration
    self.directory = directory
    self.loads = loads
    self.costs = costs
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    lastMessage = call.thread.now
    do throws(Status) {
      switch state {
      case .awaitingStart: return try startInTurn(message)
      case .running(let session): try session.accept(message)
      case .starting, .over: return
      }
      readOn()
    } catch {
      refuse(error)
    }
  }

  func failed(_ status: Status) -> Bool {
    if case .over = state { return false }
    refuse(status)
    return true
  }

  func halfClosed() {
    switch state {
    case .awaitingStart:
      refuse(
        Status(InvalidFieldError("start", "is required; the client ended the stream without it")))
    case .running(let session):
      session.end(.clientClosed, .ok)
    case .starting, .over: break
    }
  }

  func writeCompleted() {
    session?.clientHasRead()
    output.writeCompleted()
    if isHeldBack { readOn() }
  }

  /// A client in real time that neither reads nor sends has lost its connection.
  func stalled() {
    let isSilent = !isHeldBack && call.thread.now - lastMessage > Self.longestSilence
    if isSilent, session?.setup.isRealTime == true { lose() } else { close(.slowConsumer) }
  }

  func cancelled() { lose() }

  func ended() { lose() }

  /// Starts the session when no call of the thread has an event. A start takes milliseconds, and
  /// many starts at once would delay the frames of other sessions.
  private func startInTurn(_ message: UnsafeRawBufferPointer) throws(Status) {
    // The size is checked first, because a message that waits for its turn is kept.
    do { try Anechoic_V1_ProcessRequest.checkSize(message) } catch { throw Status(error) }
    let message = Array(message)
    state = .starting
    resumption = call.whenIdle { [weak self] in self?.startNow(message) }
  }

  private func startNow(_ message: [UInt8], with responses: HeadRelatedSet? = nil) {
    guard case .starting = state else { return }
    self.responses = responses
    defer { self.responses = nil }
    if let refusal = message.withUnsafeBytes({ refusal(ofStart: $0) }) {
      refuse(refusal)
    } else {
      readOn()
    }
  }

  /// Starts the session once the responses for its spatial audio are loaded, which takes too long for
  /// a thread that serves audio.
  private func start(
    _ message: UnsafeRawBufferPointer, afterLoading profile: String, of owner: ProfileOwner,
    rate: SampleRate
  ) {
    let (thread, reference, message) = (call.thread, ThreadBound(self), Array(message))
    let store = configuration.profiles
    Task(executorPreference: BackgroundExecutor.shared) {
      do {
        let responses = try await store.responses(profile, of: owner, rate: rate)
        thread.perform { reference.value?.startNow(message, with: responses) }
      } catch {
        thread.perform { reference.value?.refuse(.spatialDataMissing(error)) }
      }
    }
  }

  /// Ends the call because of a request that cannot be fulfilled: its first one, so that no session
  /// starts or goes on, or a later one, which ends the session.
  private func refuse(_ status: Status) {
    if session == nil { configuration.metrics.sessionRefused(reason: status.reason) }
    configuration.log.refused(
      RPC.process, status, session: session?.handle.id ?? "", by: ServerLog.Cause(call))
    end(status)
  }

  private func refusal(ofStart message: UnsafeRawBufferPointer) -> Status? {
    do throws(Status) {
      try start(message)
      return nil
    } catch {
      return error
    }
  }

  private func start(_ message: UnsafeRawBufferPointer) throws(Status) {
    let request: Anechoic_V1_ProcessRequest
    do { request = try .decoded(message) } catch { throw Status(error) }
    do {
      let start = try request.firstStart()
      var setup = try SessionSetup(start)
      call.writeDeadline = configuration.unreadDeadline(isRealTime: setup.isRealTime)
      let client = try Principal(call)
      guard start.resumeToken.isEmpty else { return try resume(start, setup, client) }
      guard !start.hasResumePoint else {
        throw InvalidFieldError("start.resume_point", "requires start.resume_token")
      }
      setup.owner = ControlOrigin(actor: client.name, isMediaClient: true)
      setup.allowsInjection = configuration.injection.isOn
      setup.storesPermissions = configuration.permissions != nil && client.isVerified
      setup.allowsEnrollment = client.has(.enroll)
      let (owner, profile) = (ProfileOwner(client), setup.configuration.spatial.listenerProfile)
      guard profile.isEmpty || configuration.profiles.profile(profile, of: owner) != nil else {
        throw Status.noProfile(profile, path: "start.config.spatial_audio.listener_profile")
      }
      if setup.canRender, let rate = setup.playback?.rate {
        setup.headResponses =
          responses ?? configuration.profiles.loadedResponses(profile, of: owner, rate: rate)
        guard setup.headResponses != nil else {
          return self.start(message, afterLoading: profile, of: owner, rate: rate)
        }
      }
      let engine = try configuration.engines.engine(of: start)
      try Self.checkEnrollment(setup, engine)
      let session = try RunningSession(
        id: SessionID.resolve(start.sessionID), setup, start,
        labels: SessionLabels.check(start.labels, path: "start.labels"),
        engine: engine, by: client, on: call.thread, link: link,
        resumption: Resumption(start, configuration.limits), directory: directory,
        permissions: configuration.permissions,
        profiles: SessionProfiles(configuration.profiles, owner, wanted: profile),
        limits: configuration.limits,
        load: loads.load(of: call.thread), predicted: costs.load(of: setup, engine),
        observation: SessionObservation(configuration, by: call))
      // The switch may have been changed before the directory knew the session.
      session.allowInjection(configuration.injection.isOn)
      self.session = session
      state = .running(session)
    } catch let error as InvalidFieldError {
      throw Status(error)
    } catch let error as Status {
      throw error
    } catch {
      throw .engineFailed(error)
    }
  }

  /// Throws for a start that lets a session learn or keep a voice where the client may not, or the
  /// engine cannot.
  private static func checkEnrollment(
    _ setup: SessionSetup, _ engine: any VoiceEngine.Type
  ) throws {
    guard setup.enrollsVoice || setup.voiceprint != nil else { return }
    let field = setup.enrollsVoice ? "start.enroll_voice" : "start.voiceprint"
    guard setup.allowsEnrollment else { throw Status.scopeMissing(.enroll, for: field) }
    if setup.enrollsVoice, !(engine is any EnrollmentEngine.Type) {
      throw InvalidFieldError(
        field, "the engine \(engine.identity.name) cannot learn a voice", isUnsupported: true)
    }
  }

  /// The session's view of this call.
  private var link: ClientLink {
    ClientLink(
      output: ResponseStream(output), end: { [weak self] in self?.end($0) },
      replace: { [weak self] in self?.leave($0) })
  }

  /// Asks for the session that the start resumes. It comes to this thread from its own one.
  private func resume(
    _ start: Anechoic_V1_Start, _ setup: SessionSetup, _ client: Principal
  ) throws {
    let point = try ResumePoint(start.resumePoint)
    let handle = try directory.session(resumedWith: SecretToken(start.resumeToken), by: client)
    try handle.checkResumes(start, setup)
    let (thread, loads, reference) = (call.thread, loads, ThreadBound(self))
    handle.perform { session in
      guard let session else {
        return thread.perform { reference.value?.refuse(.resumeTokenUnknown) }
      }
      session.move(to: thread) { session in
        session.enter(loads.load(of: thread))
        // Without this call, the session continues to wait.
        reference.value?.accept(session, point, client)
      }
    }
  }

  /// Continues a session that has come to this thread.
  private func accept(_ session: RunningSession, _ point: ResumePoint, _ client: Principal) {
    guard case .starting = state else { return }
    guard !session.isEnding else { return refuse(.resumeTokenUnknown) }
    do {
      try session.resume(at: point, by: client, link: link)
    } catch {
      return refuse(error)
    }
    session.outlet.observation.resumed(session.handle.id, by: call)
    self.session = session
    state = .running(session)
    readOn()
  }

  /// Reads the next request, at once or when the client may continue.
  private func readOn() {
    guard case .running(let session) = state else { return }
    isHeldBack = false
    switch session.readiness() {
    case .now: call.read()
    case .later(let delay):
      resumption = call.schedule(after: delay) { [weak self] in self?.resume() }
    case .afterWrites: isHeldBack = true
    case .afterPlayer:
      resumption = call.schedule(after: PlaybackRing.interval) { [weak self] in self?.readOn() }
    // The audio and gaps of a request may last many seconds. The client has to read some of the
    // output first.
    case .afterTurn where output.isHalfFull: isHeldBack = true
    case .afterTurn:
      resumption = call.whenIdle { [weak self] in self?.goOn() }
    }
  }

  private func goOn() {
    resumption = nil
    guard case .running(let session) = state else { return }
    session.goOn()
    readOn()
  }

  private func resume() {
    resumption = nil
    if case .running = state { call.read() }
  }

  /// Ends the call, because its client leaves more unread than the server keeps.
  private func overflowed() {
    close(.slowConsumer)
    call.abort(.slowConsumer(configuration.unreadLimit))
  }

  /// Sends the remaining responses and then the status. The session keeps its place in the
  /// directory until then, so that a server that stops waits for it.
  private func end(_ status: Status) {
    state = .over
    resumption?.cancel()
    output.finish(status) { [weak self] in self?.close() }
  }

  private func close(_ reason: SessionEvent.EndReason = .clientLost) {
    stop()?.close(reason)
  }

  /// Records that the client is gone. A session that does not end for another reason waits for it.
  private func lose() {
    guard case .running = state else { return close() }
    stop()?.lose()
  }

  /// Ends the call, because another call has its session now.
  private func leave(_ status: Status) {
    _ = stop()
    call.finish(status)
  }

  /// Sends and reads nothing more. Returns the session of the call.
  private func stop() -> RunningSession? {
    output.stop()
    state = .over
    resumption?.cancel()
    return session.take()
  }
}
