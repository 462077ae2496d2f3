internal import AnechoicAPI
internal import AudioCore
internal import Authentication
internal import struct Foundation.Data
internal import struct Foundation.Date
internal import GRPCTransport
internal import SessionRecording
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceEngines
internal import VoiceSessions

/// A session on this server. It takes requests, sends responses, and determines when the next
/// request is read.
///
/// A session belongs to the thread of its call. While it is suspended, it has no call and stays on
/// the thread of the last one. `RunningSession+Resume.swift` moves it to the thread of the next call.
final class RunningSession: SessionSink {
  /// The time at which the next request is read.
  enum Readiness: Equatable {
    case now
    /// After this time, because the client is ahead of real time.
    case later(Duration)
    /// When the client has read more of the output.
    case afterWrites
    /// When `goOn` has processed the rest of the last request. Other sessions of the thread come
    /// first.
    case afterTurn
  }

  /// The number of messages that may wait for a slow client before the server stops reading its
  /// requests. Events and answers count, and under the media clock audio too.
  private static let longestBacklog = 100
  /// The time without audio after which the microphone counts as stopped.
  private static let longestSilence = Duration.seconds(2)

  let session: RecordedSession
  let handle: SessionHandle
  /// The calls that wait for a later event of this session.
  var waiting = AwaitedEvents()
  let setup: SessionSetup
  let directory: SessionDirectory
  let engine: EngineIdentity
  /// The thread that the session belongs to.
  var thread: CallThread
  /// The call of the media client. Nil while the session is suspended.
  var link: ClientLink?
  var suspension: Suspension?
  /// The call of another device that plays the playback, or nil.
  var player: PlaybackClient?
  /// The last output, for a client that resumes. Nil if the session cannot be resumed.
  let history: OutputHistory?
  let profiles: SessionProfiles
  private let permissions: PermissionStore?
  /// Whether the session has ended. Nothing changes any more.
  private(set) var hasEnded = false
  /// Whether the session is ending or has ended. It accepts no more requests or changes.
  var isEnding: Bool { hasEnded || ending != nil }
  private var lastAudio: ContinuousClock.Instant?
  var silenceCheck: Timer?
  private(set) var lifetime: SessionLifetime?
  private var pacer = RealTimePacer()
  private var lead = InputLead()
  private var observation: SessionObservation
  private let began = ContinuousClock.now
  private var frameTimes = FrameTimes()
  var jitter = ArrivalJitter()
  var lag = InputLag()
  /// The load that a thread expects of the session, as a share of its time.
  private let predictedLoad: Double
  /// The load of the thread. Nil under the media clock, which does not count.
  private var load: (thread: ThreadLoad, place: ThreadLoad.Place)?
  var backlog = OutputBacklog()
  /// The number of output samples that were lost with a connection.
  var samplesLost: UInt64 = 0
  private var chunksDropped: UInt64 = 0
  private var framesDropped: UInt64 = 0
  /// The number of dropped frames that no event has reported yet.
  private var untoldFrames = 0
  private var ending: Ending?

  /// Enters the session into the directory and sends `started`. A session with a `resumption` waits
  /// for its client when the connection is lost.
  init(
    id: String, _ setup: SessionSetup, _ start: Anechoic_V1_Start, labels: [String: String],
    engine: any VoiceEngine.Type, by client: Principal, on thread: CallThread, link: ClientLink,
    resumption: Resumption?, directory: SessionDirectory, permissions: PermissionStore?,
    profiles: SessionProfiles, limits: AdmissionLimits, load: ThreadLoad, predicted: Double,
    observation: SessionObservation
  ) throws {
    try directory.reserve(id, for: client)
    do {
      if setup.isRealTime { try load.check(predicted) }
      session = try RecordedSession(setup, engine: engine) { profiles.has($0) }
    } catch {
      directory.remove(id)
      throw error
    }
    self.setup = setup
    self.observation = observation
    self.profiles = profiles
    if let queue = directory.takeRecorder(of: id, ownedBy: client) {
      session.record(to: queue, start: start, of: id, engine: engine.identity)
    }
    self.thread = thread
    self.link = link
    self.directory = directory
    self.permissions = permissions
    predictedLoad = predicted
    self.engine = engine.identity
    history = resumption.map { _ in OutputHistory(setup) }
    handle = SessionHandle(
      id: id, setup, engine: engine.identity.name, labels: labels, session.state, thread,
      owner: client, resumption)
    handle.bind(self)
    directory.enter(handle)
    lifetime = SessionLifetime(on: thread, limits) { [weak self] in
      self?.lastAudio
    } end: { [weak self] in
      self?.end($0, $1)
    }
    link.output.send(.with { $0.started = started })
    enter(load)
    observation.started(id, setup, engine.identity)
  }

  /// Counts the session in the load of its thread.
  func enter(_ load: ThreadLoad) {
    guard setup.isRealTime, self.load == nil, !isEnding else { return }
    self.load = (load, load.enter(self, predicted: predictedLoad))
  }

  /// Counts the session no more in the load of its thread.
  func leaveLoad() {
    if let load { load.thread.leave(load.place) }
    load = nil
  }

  /// Takes a request, and processes the frames that it completes.
  func accept(_ message: UnsafeRawBufferPointer) throws(Status) {
    guard !isEnding else { return }
    let before = session.microphoneArrived
    let hasAudio: Bool
    do { hasAudio = try session.accept(message, sink: self) } catch { throw Status(error) }
    guard hasAudio else { return }
    let now = ContinuousClock.now
    process { session.process(sink: self) }
    if setup.isRealTime { noteArrival(after: before, at: now) }
  }

  /// Measures the microphone's lag. Runs after the request was processed, in the same order as a
  /// replay.
  private func noteArrival(after before: Int64, at now: ContinuousClock.Instant) {
    let arrived = session.microphoneArrived
    guard arrived > before, !isEnding else { return }
    let media = setup.microphone.rate.duration(ofSamples: Int(arrived))
    jitter.note(media: media, now: now)
    if let isLate = lag.note(media: media.nanoseconds, samples: arrived - before, now: now) {
      session.apply(.microphoneLate(isLate), sink: self)
    }
    if let isEarly = lead.note(allowance: pacer.allowance, now: now) {
      session.apply(.microphoneEarly(isEarly), sink: self)
    }
  }

  /// Processes the remaining audio in turns, then ends the session, and its call with `status`.
  /// Calls `ended` afterwards, or when the client is lost before. If the session is ending already,
  /// only calls `ended`.
  func end(
    _ reason: SessionEvent.EndReason, _ status: Status, then ended: @escaping () -> Void = {}
  ) {
    guard !isEnding else { return ended() }
    tellDropped()
    ending = Ending(reason: reason, status: status, ended: ended)
    takeLastTurn()
  }

  private func takeLastTurn() {
    guard let ending, !hasEnded else { return }
    guard session.takeLastTurn(ending.reason, sink: self) else {
      self.ending?.turn = nil
      // If the output is half full, the next turn waits until the client has read some of it.
      if !(link?.output.isHalfFull ?? false) { takeLastTurnLater() }
      return
    }
    self.ending = nil
    // A suspended session has no client that would have to read the end.
    if let link { link.end(ending.status) } else { close() }
    ending.ended()
  }

  private func takeLastTurnLater() {
    ending?.turn = thread.whenIdle { [weak self] in self?.takeLastTurn() }
  }

  /// Removes the session from the directory. Call this once. A session that has not ended by now
  /// has lost its client, and ends with `reason`.
  func close(_ reason: SessionEvent.EndReason = .clientLost) {
    if !hasEnded { session.end(reason, sink: self) }
    leaveLoad()
    session.close()
    directory.remove(handle.id)
    ending?.ended()
    ending = nil
    stopTimers()
    link = nil
    suspension = nil
  }

  /// Announces that the server is about to stop. The end of a suspended session comes at once,
  /// because its client has to continue elsewhere.
  func announceEnd(in time: Duration) {
    guard !isEnding else { return }
    guard suspension == nil else { return end(.serverShutdown, .shutDown) }
    session.apply(.draining(endsIn: time), sink: self)
  }

  /// Switches the session to less processing, or back to full processing.
  func reduceProcessing(_ isReduced: Bool) {
    guard !isEnding else { return }
    session.apply(.reduced(isReduced), sink: self)
  }

  /// The time by which the session is behind its client. Nil before the first audio, and while the
  /// session is suspended. Runs per frame:
  /// no allocation, lock, log or await.
  func lateness(at now: ContinuousClock.Instant) -> Duration? {
    suspension == nil ? lag.lagEver(at: now) : nil
  }

  /// Reports a gesture to the session. `reply` gets the answer at once or when the gesture is
  /// decided.
  func report(_ gesture: MuteGesture, _ reply: Reply<GestureResult>) throws {
    if let result = try answer(to: .gesture(gesture)).gesture {
      // No event tells that a gesture was ignored at once.
      if result.outcome == .ignored { observation.note(result) }
      return reply.give(.success(result))
    }
    guard try waiting.await(gesture, reply) else { return }
    // The session itself ends the gesture by the media clock. This timer ends it if the media clock
    // stops.
    let limit = session.state.configuration.mute.decisionTimeout + Self.longestSilence
    waiting.deadlines[gesture.id] = .init(time: .now + limit)
    startDeadline(ofGesture: gesture.id)
  }

  func startDeadline(ofGesture id: String) {
    guard let deadline = waiting.deadlines[id] else { return }
    let delay = max(.zero, deadline.time - .now)
    waiting.deadlines[id]?.timer = thread.schedule(after: delay) { [weak self] in
      guard let self, !isEnding else { return }
      session.apply(.gestureExpired(id: id), sink: self)
    }
  }

  func readiness() -> Readiness {
    guard !isEnding, let output = link?.output else { return .afterWrites }
    if session.hasCompleteFrame { return .afterTurn }
    // Events and answers are never dropped, so the client that causes them has to read them.
    guard output.waiting - output.waitingAudio <= Self.longestBacklog else { return .afterWrites }
    guard setup.isRealTime else {
      return output.waiting > Self.longestBacklog ? .afterWrites : .now
    }
    let media = setup.microphone.rate.duration(ofSamples: Int(session.position)).nanoseconds
    return pacer.delay(media: media, now: .now).map { .later($0) } ?? .now
  }

  /// Continues the end of a session that waited for its reader. In real time, drops the audio by
  /// which a slow reader is too far behind.
  func clientHasRead() {
    if ending != nil, ending?.turn == nil { takeLastTurnLater() }
    guard setup.isRealTime,
      let limit = backlog.limit(afterTaking: waitingFrames, now: .now)
    else { return }
    drop(downTo: limit)
  }

  /// The number of frames of the processed output that wait for the client. The last chunk counts
  /// as a full one.
  private var waitingFrames: Int { (link?.output.waitingAudio ?? 0) * setup.framesPerChunk }

  private func drop(downTo limit: Int) {
    while waitingFrames > limit {
      link?.output.dropOldestAudio()
      chunksDropped += 1
      observation.dropped()
      framesDropped += UInt64(setup.framesPerChunk)
      untoldFrames += setup.framesPerChunk
    }
  }

  /// Reports the dropped output with an event.
  private func tellDropped() {
    guard untoldFrames > 0 else { return }
    let samples = Int64(untoldFrames * setup.processed.rate.samplesPerFrame)
    untoldFrames = 0
    session.apply(.outputDropped(samples: samples), sink: self)
  }

  /// Continues with the rest of the last request.
  func goOn() {
    guard !isEnding else { return }
    process { session.apply(.turn, sink: self) }
  }

  /// Processes complete frames with `turn`, and measures the time that this takes.
  /// Runs per frame: no allocation, lock, log or await, except for the recorder of a recorded session.
  private func process(_ turn: () -> Void) {
    let began = ContinuousClock.now
    lastAudio = began
    let position = session.position
    turn()
    let frames = (session.position - position) / Int64(setup.microphone.rate.samplesPerFrame)
    if setup.isRealTime {
      if frames > 0, silenceCheck == nil { checkSilenceLater() }
      if untoldFrames > 0, waitingFrames < OutputBacklog.most { tellDropped() }
    }
    let now = ContinuousClock.now
    let nanoseconds = began.duration(to: now).nanoseconds
    frameTimes.note(nanoseconds: UInt64(nanoseconds), frames: UInt32(frames))
    observation.note(frames: frames, nanoseconds: UInt64(nanoseconds), session)
    load?.thread.note(nanoseconds: nanoseconds, now: now)
  }

  /// Tells the session when no audio has come for too long. It then refuses requests that need the
  /// microphone.
  private func checkSilenceLater() {
    silenceCheck = thread.schedule(after: Self.longestSilence / 2) { [weak self] in
      guard let self, !isEnding else { return }
      silenceCheck = nil
      guard let lastAudio, .now - lastAudio < Self.longestSilence else {
        session.apply(.microphoneStopped, sink: self)
        return
      }
      checkSilenceLater()
    }
  }

  // MARK: SessionSink

  func emit(_ chunk: OutputChunk) {
    session.record(chunk)
    let chunk = splitOff(chunk)
    history?.add(chunk)
    guard let output = link?.output else { return }
    output.send(chunk)
    guard setup.isRealTime else { return }
    let limit = backlog.limit(afterAdding: waitingFrames, now: .now)
    // A gap that is filled comes at once, and must not make the queue overflow.
    guard let limit = output.isHalfFull ? OutputBacklog.most : limit else { return }
    drop(downTo: limit)
  }

  func emit(_ event: SessionEvent) {
    session.record(event)
    let message = Anechoic_V1_SessionEvent(event, time: .init(date: .now))
    link?.output.send(.with { $0.event = message })
    let watched = Anechoic_V1_WatchSessionResponse.with { $0.event = message }
    handle.feed.publish((try? watched.serializedBytes()) ?? [], session.state)
    waiting.note(event.kind)
    observation.note(event.kind, session.state)
    if case .configurationChanged(let changed, _) = event.kind {
      follow(profile: changed.spatial.listenerProfile)
    }
    guard case .ended(let reason) = event.kind else { return }
    hasEnded = true
    observation.note(session)
    observation.ended(
      handle.id, reason,
      Self.quality(
        session.statistics, lasting: .now - began, slowest: frameTimes.percentile(0.99),
        chunksDropped: chunksDropped))
    lifetime?.stop()
    player?.playback.end(.sessionEnded)
    handle.close()
  }

  func emit(_ result: ControlResult) {
    link?.output.send(.with { $0.controlResult = Anechoic_V1_ControlResult(result) })
  }

  func store(permissionOf client: String, isGranted: Bool) {
    permissions?.store(isGranted, of: setup.owner.actor, about: client)
  }

  /// The stored decision of this session's owner about a client, or nil.
  func storedPermission(of client: String) -> Bool? {
    setup.storesPermissions
      ? permissions?.decision(of: setup.owner.actor, about: client) : nil
  }

  func emit(_ statistics: SessionStatistics) {
    let message = message(statistics)
    link?.output.send(.with { $0.stats = message })
  }

  /// The answer to the start, with the present state of the session.
  var started: Anechoic_V1_Started {
    var started = Anechoic_V1_Started(
      sessionID: handle.id, setup, session.state, algorithmicDelay: session.algorithmicDelay,
      playbackDelay: session.playbackDelay,
      engine: engine)
    if let resumption = handle.resumption {
      started.resumeToken = Data(resumption.token)
      started.resumeWindow = Google_Protobuf_Duration(resumption.window)
    }
    if let token = handle.joinToken { started.joinToken = Data(token) }
    return started
  }

  /// The current statistics of the session.
  var statistics: Anechoic_V1_SessionStats { message(session.statistics) }

  private func message(_ statistics: SessionStatistics) -> Anechoic_V1_SessionStats {
    var message = Anechoic_V1_SessionStats(
      statistics, median: frameTimes.percentile(0.5), slowest: frameTimes.percentile(0.99),
      jitter: jitter.value)
    message.flow.outputChunksDropped = chunksDropped
    message.flow.outputSamplesDropped =
      framesDropped * UInt64(setup.processed.rate.samplesPerFrame)
    message.flow.microphoneSamplesLate = lag.lateSamples
    message.flow.outputSamplesLost = samplesLost
    message.timing.outputBacklog = Google_Protobuf_Duration(.milliseconds(10) * waitingFrames)
    if let lag = lag.value(at: .now) { message.timing.inputLag = Google_Protobuf_Duration(lag) }
    return message
  }
}

/// The end of a session, which is processed in turns.
private struct Ending {
  let reason: SessionEvent.EndReason
  let status: Status
  let ended: () -> Void
  var turn: Timer?
}
