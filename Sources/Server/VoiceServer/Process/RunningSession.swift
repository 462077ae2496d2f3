internal import AnechoicAPI
internal import AudioCore
internal import Authentication
internal import GRPCTransport
internal import SessionWire
internal import struct Foundation.Data
internal import struct Foundation.Date
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
    /// When the call of another device that plays has read more, under the media clock.
    case afterPlayer
    /// When `goOn` has processed the rest of the last request. Other sessions of the thread come
    /// first.
    case afterTurn
  }

  /// The number of messages that may wait for a slow client before the server stops reading its
  /// requests. Events and answers count, and under the media clock audio too.
  private static let longestBacklog = 100

  let session: RecordedSession
  let setup: SessionSetup
  let engine: EngineIdentity
  let handle: SessionHandle
  let directory: SessionDirectory
  let profiles: SessionProfiles
  let permissions: PermissionStore?
  /// The fields of the start without effect.
  private let warnings: [String]
  var flow: MediaFlow
  var clockwork: SessionClockwork
  var outlet: SessionOutlet
  /// The calls that wait for a later event of this session.
  var waiting = AwaitedEvents()
  private var load: SessionLoad
  /// Whether the session has ended. Nothing changes any more.
  private(set) var hasEnded = false
  /// Whether the session is ending or has ended. It accepts no more requests or changes.
  var isEnding: Bool { hasEnded || ending != nil }
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
    warnings = start.warnings
    self.profiles = profiles
    if let queue = directory.takeRecorder(of: id, ownedBy: client) {
      session.record(to: queue, start: start, of: id, engine: engine.identity)
    }
    self.directory = directory
    self.permissions = permissions
    self.load = SessionLoad(predicted: setup.isRealTime ? predicted : nil)
    self.engine = engine.identity
    flow = MediaFlow(setup, isResumable: resumption != nil)
    clockwork = SessionClockwork(thread)
    handle = SessionHandle(
      id: id, setup, engine: engine.identity, labels: labels, session.state, thread,
      owner: client, resumption)
    outlet = SessionOutlet(link, handle.feed, observation.telling(handle.health))
    handle.bind(self)
    directory.enter(handle)
    clockwork.lifetime = SessionLifetime(on: thread, limits) { [weak self] in
      self?.flow.lastAudio
    } end: { [weak self] in
      self?.end($0, $1)
    }
    link.output.send(.with { $0.started = started })
    enter(load)
    observation.started(id, setup, engine.identity)
  }

  /// Enters the session into the load of its thread.
  func enter(_ load: ThreadLoad) {
    guard !isEnding else { return }
    self.load.enter(load, for: self)
  }

  /// Removes the session from the load of its thread.
  func leaveLoad() { load.leave() }

  /// Takes a request, and processes the frames that it completes.
  func accept(_ message: UnsafeRawBufferPointer) throws(Status) {
    guard !isEnding else { return }
    let before = session.microphoneArrived
    let hasAudio: Bool
    do { hasAudio = try session.accept(message, sink: self) } catch { throw Status(error) }
    guard hasAudio else { return }
    let now = clockwork.now
    flow.began(at: now)
    process { session.process(sink: self) }
    if setup.isRealTime { followPace(after: before, at: now) }
  }

  /// Follows the pace of the microphone. Runs after the request was processed, in the same order as a
  /// replay.
  private func followPace(after before: Int64, at now: ContinuousClock.Instant) {
    let arrived = session.microphoneArrived
    guard !isEnding else { return }
    guard arrived > before else {
      if flow.microphoneLacks(at: now) {
        session.apply(.microphoneStopped(alone: true), sink: self)
      }
      return
    }
    let change = flow.arrived(upTo: arrived, samples: arrived - before, at: now)
    if let isLate = change.isLate { session.apply(.microphoneLate(isLate), sink: self) }
    if let isEarly = change.isEarly { session.apply(.microphoneEarly(isEarly), sink: self) }
  }

  /// Processes the remaining audio in turns, then ends the session, and its call with `status`.
  /// Calls `ended` afterwards, or when the client is lost before. If the session is ending already,
  /// only calls `ended`.
  func end(
    _ reason: SessionEvent.EndReason, _ status: Status, then ended: @escaping () -> Void = {}
  ) {
    guard !isEnding else { return ended() }
    reportDropped()
    ending = Ending(reason: reason, status: status, ended: ended)
    takeLastTurn()
  }

  private func takeLastTurn() {
    guard let ending, !hasEnded else { return }
    guard !waitsForPlayer else { return takeLastTurnLater() }
    guard session.takeLastTurn(ending.reason, sink: self) else {
      self.ending?.turn = nil
      // If the output is half full, the next turn waits until the client has read some of it.
      if !outlet.isHalfFull { takeLastTurnLater() }
      return
    }
    self.ending = nil
    // A suspended session has no client that would have to read the end.
    if let link = outlet.link { link.end(ending.status) } else { close() }
    ending.ended()
  }

  private func takeLastTurnLater() {
    let turn: () -> Void = { [weak self] in self?.takeLastTurn() }
    ending?.turn =
      waitsForPlayer
      ? clockwork.thread.schedule(after: PlaybackRing.interval, turn)
      : clockwork.thread.whenIdle(turn)
  }

  /// Whether the playback waits for the call of another device. A session under the media clock may be
  /// faster than that call reads.
  private var waitsForPlayer: Bool {
    !setup.isRealTime && outlet.player?.playback.isHalfFull == true
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
    outlet.link = nil
    clockwork.suspension = nil
  }

  /// Announces that the server is about to stop. The end of a suspended session comes at once,
  /// because its client has to continue elsewhere.
  func announceEnd(in time: Duration) {
    guard !isEnding else { return }
    guard clockwork.suspension == nil else { return end(.serverShutdown, .shutDown) }
    session.apply(.draining(endsIn: time), sink: self)
  }

  /// Switches the session to less processing, or back to full processing.
  func reduceProcessing(_ isReduced: Bool) {
    guard !isEnding, session.isReduced != isReduced else { return }
    session.apply(.reduced(isReduced), sink: self)
  }

  /// The time by which the session is behind its client. Nil before the first audio, and while the
  /// session is suspended. Runs per frame:
  /// no allocation, lock, log or await.
  func lateness(at now: ContinuousClock.Instant) -> Duration? {
    clockwork.suspension == nil ? flow.lateness(at: now) : nil
  }

  /// Reports a gesture to the session. `reply` gets the answer at once or when the gesture is
  /// decided.
  func report(_ gesture: MuteGesture, _ reply: Reply<GestureResult>) throws {
    if let result = try answer(to: .gesture(gesture)).gesture {
      // No event reports that a gesture was ignored at once.
      if result.outcome == .ignored { outlet.observation.record(result) }
      return reply.give(.success(result))
    }
    guard try waiting.await(gesture, reply) else { return }
    // The session itself ends the gesture by the media clock. This timer ends it if the media clock
    // stops.
    let limit = session.state.configuration.mute.decisionTimeout + SessionClockwork.longestSilence
    waiting.deadlines[gesture.id] = .init(time: clockwork.now + limit)
    startDeadline(ofGesture: gesture.id)
  }

  func startDeadline(ofGesture id: String) {
    guard let deadline = waiting.deadlines[id] else { return }
    let delay = max(.zero, deadline.time - clockwork.now)
    waiting.deadlines[id]?.timer = clockwork.thread.schedule(after: delay) { [weak self] in
      guard let self, !isEnding else { return }
      session.apply(.gestureExpired(id: id), sink: self)
    }
  }

  func readiness() -> Readiness {
    guard !isEnding, let output = outlet.link?.output else { return .afterWrites }
    if waitsForPlayer { return .afterPlayer }
    if session.hasCompleteFrame { return .afterTurn }
    // Events and answers are never dropped, so the client that causes them has to read them.
    guard output.waiting - output.waitingAudio <= Self.longestBacklog else { return .afterWrites }
    guard setup.isRealTime else {
      return output.waiting > Self.longestBacklog ? .afterWrites : .now
    }
    return flow.delay(position: session.position, now: clockwork.now).map { .later($0) } ?? .now
  }

  /// Continues the end of a session that waited for its reader. In real time, drops the audio by
  /// which a slow reader is too far behind.
  func clientHasRead() {
    if ending != nil, ending?.turn == nil { takeLastTurnLater() }
    guard setup.isRealTime, let limit = flow.limit(afterTaking: waitingFrames, now: clockwork.now)
    else { return }
    drop(downTo: limit)
  }

  /// The number of frames of the processed output that wait for the client. The last chunk counts as a full
  /// one.
  private var waitingFrames: Int { outlet.waitingChunks * setup.framesPerChunk }

  private func drop(downTo limit: Int) {
    while waitingFrames > limit {
      outlet.link?.output.dropOldestAudio()
      outlet.observation.dropped()
      flow.droppedChunk()
    }
  }

  /// Reports the dropped output with an event.
  private func reportDropped() {
    guard flow.hasUnreportedLoss else { return }
    session.apply(.outputDropped(samples: flow.popUnreportedSamples()), sink: self)
  }

  /// Continues with the rest of the last request.
  func goOn() {
    guard !isEnding else { return }
    flow.began(at: clockwork.now)
    process { session.apply(.turn, sink: self) }
  }

  /// Processes complete frames with `turn`, and measures the time that this takes.
  /// Runs per frame: no allocation, lock, log or await, except for the recorder of a recorded session.
  private func process(_ turn: () -> Void) {
    let began = ContinuousClock.now
    let position = session.position
    turn()
    waiting.answerControls(session.state)
    let frames = (session.position - position) / Int64(setup.microphone.rate.samplesPerFrame)
    if setup.isRealTime {
      if frames > 0 { checkSilenceLater() }
      if flow.hasUnreportedLoss, waitingFrames < OutputBacklog.most { reportDropped() }
    }
    let now = ContinuousClock.now
    let nanoseconds = began.duration(to: now).nanoseconds
    flow.processed(frames: frames, nanoseconds: nanoseconds)
    outlet.observation.record(frames: frames, nanoseconds: UInt64(nanoseconds), session)
    if setup.isRealTime, frames > 0, let lateness = flow.frameLateness(at: now) {
      outlet.observation.record(lateness: lateness, ofFrames: frames)
    }
    load.record(nanoseconds: nanoseconds, now: now)
  }

  /// Tells the session when no audio has come for too long. It then refuses requests that need the
  /// microphone.
  private func checkSilenceLater() {
    clockwork.startSilenceCheck { [weak self] in
      guard let self, !isEnding else { return }
      clockwork.silenceCheckHappened()
      guard let lastAudio = flow.lastAudio,
        clockwork.now - lastAudio < SessionClockwork.longestSilence
      else {
        session.apply(.microphoneStopped(alone: false), sink: self)
        return
      }
      checkSilenceLater()
    }
  }

  // MARK: SessionSink

  func emit(_ chunk: OutputChunk) {
    session.record(chunk)
    let chunk = setup.playsElsewhere ? outlet.splitOff(chunk) : chunk
    flow.history?.add(chunk)
    guard let output = outlet.link?.output else { return }
    output.send(chunk)
    guard setup.isRealTime,
      let limit = flow.limit(
        afterAdding: waitingFrames, isHalfFull: output.isHalfFull, now: clockwork.now)
    else { return }
    drop(downTo: limit)
  }

  func emit(_ event: SessionEvent) {
    session.record(event)
    outlet.send(event, session.state)
    waiting.record(event.kind)
    outlet.observation.record(event.kind, session.state)
    if case .configurationChanged(let changed, _) = event.kind {
      follow(profile: changed.spatial.listenerProfile)
    }
    if case .ended(let reason) = event.kind { ended(reason) }
  }

  private func ended(_ reason: SessionEvent.EndReason) {
    hasEnded = true
    waiting.answerControls(session.state)
    outlet.observation.record(session)
    outlet.observation.ended(
      handle.id, reason,
      Self.quality(
        session.statistics, lasting: clockwork.now - clockwork.began, slowest: flow.slowFrame,
        chunksDropped: flow.chunksDropped))
    clockwork.lifetime?.stop()
    outlet.player?.playback.end(.sessionEnded)
    handle.close()
  }

  func emit(_ result: ControlResult) {
    if result.isForMediaClient {
      outlet.send(result)
    } else {
      waiting.record(result)
    }
  }

  /// The stored decision of this session's owner about a client, or nil.
  func storedPermission(of client: String) -> Bool? {
    setup.storesPermissions
      ? permissions?.decision(of: setup.owner.actor, about: client) : nil
  }

  func emit(_ statistics: SessionStatistics) {
    outlet.send(message(statistics))
  }

  func emit(_ path: EchoPath) { outlet.send(Anechoic_V1_EchoPath(path)) }

  func emit(_ voiceprint: Voiceprint) { outlet.send(Anechoic_V1_Voiceprint(voiceprint)) }

  /// The answer to the start, with the present state of the session.
  var started: Anechoic_V1_Started {
    var started = Anechoic_V1_Started(
      sessionID: handle.id, setup, session.state, session.delays,
      engine: engine)
    started.echoPathUsed = session.usesEchoPathHint
    started.voiceprintUsed = session.usesVoiceprint
    started.warnings = warnings
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
    var message = flow.message(statistics, waiting: waitingFrames, now: clockwork.now)
    if let load = load.ofThread { message.timing.threadLoad = load }
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

/// The connection of a session to its media client: one `Process` call. For use on the call's thread.
struct ClientLink {
  let output: ResponseStream
  /// Sends the remaining responses and then a status.
  let end: (Status) -> Void
  /// Ends the call with a status and forgets the session, because another call has the session now.
  let replace: (Status) -> Void
}
