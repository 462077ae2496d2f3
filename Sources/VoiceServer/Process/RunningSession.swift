internal import AnechoicAPI
internal import AudioCore
internal import struct Foundation.Date
internal import GRPCTransport
internal import SessionConversions
internal import SessionRecording
internal import SwiftProtobuf
internal import VoiceEngines
internal import VoiceSessions

/// A session with its place on this server: takes requests, sends responses, and says when the
/// client may go on.
final class RunningSession: SessionSink {
  /// Whether the next request is read.
  enum Readiness: Equatable {
    case now
    /// In real time: not before so much time has passed.
    case later(Duration)
    /// When the client has read more of what it was sent.
    case afterWrites
    /// When `goOn` has processed what one request left: other sessions of the thread come first.
    case afterTurn
  }

  /// Messages that may wait for a slow client before nothing more is read from it: events and answers,
  /// and under the media clock audio too.
  private static let longestBacklog = 100
  /// A microphone that has sent nothing for so long does not run.
  private static let longestSilence = Duration.seconds(2)

  let session: VoiceSession
  let handle: SessionHandle
  /// The calls that wait for a later event of this session.
  var waiting = AwaitedEvents()
  /// Records the session, or nil if the session is not recorded.
  private(set) var recorder: SessionRecorder?
  private let setup: SessionSetup
  private let requests: SessionRequests
  private let call: ServerCall
  private let output: ResponseStream
  private let directory: SessionDirectory
  private let endCall: (Status) -> Void
  /// Whether the end has been announced: nothing changes any more.
  private(set) var hasEnded = false
  /// Whether the end has begun: the session takes nothing more.
  var isEnding: Bool { hasEnded || ending != nil }
  private var lastAudio: ContinuousClock.Instant?
  private var silenceCheck: Timer?
  private var lifetime: SessionLifetime?
  private var pacer = RealTimePacer()
  private var frameTimes = FrameTimes()
  private var jitter = ArrivalJitter()
  private var lag = InputLag()
  private var backlog = OutputBacklog()
  private var chunksDropped: UInt64 = 0
  private var framesDropped: UInt64 = 0
  private var untoldFrames = 0  // dropped, and not reported by an event yet
  private var ending: Ending?

  /// Enters the session into the directory and sends `started`. `endCall` sends what is left, and
  /// then a status.
  init(
    id: String, _ setup: SessionSetup, _ start: Anechoic_V1_Start, labels: [String: String],
    engine: any VoiceEngine.Type, by client: Principal, on call: ServerCall, output: ResponseStream,
    directory: SessionDirectory, limits: AdmissionLimits,
    endCall: @escaping (Status) -> Void
  ) throws {
    try directory.reserve(id, for: client.host)
    do {
      session = try VoiceSession(setup, engine: engine)
    } catch {
      directory.remove(id)
      throw error
    }
    self.setup = setup
    requests = SessionRequests(session: session, setup: setup)
    let engine = engine.identity.description
    recorder = directory.takeRecorder(of: id).map {
      SessionRecorder($0, setup, start: start, of: id, engine: engine)
    }
    self.call = call
    self.output = output
    self.directory = directory
    self.endCall = endCall
    handle = SessionHandle(id: id, setup, labels: labels, session.state, call.executor)
    handle.bind(self)
    directory.enter(handle)
    lifetime = SessionLifetime(of: call, limits) { [weak self] in
      self?.lastAudio
    } end: { [weak self] in
      self?.end($0, $1)
    }
    output.send(
      .with {
        $0.started = Anechoic_V1_Started(
          sessionID: id, setup, session.state, algorithmicDelay: session.algorithmicDelay,
          engine: engine)
      })
  }

  /// Takes a request in and processes what has become complete by it.
  func take(_ message: UnsafeRawBufferPointer) throws(Status) {
    guard !isEnding else { return }
    let before = session.microphoneArrived
    let hasAudio: Bool
    do { hasAudio = try requests.take(message, sink: self) } catch { throw Status(error) }
    recorder?.note(request: message)
    guard hasAudio else {
      recorder?.advance(to: session.position)
      return
    }
    let now = ContinuousClock.now
    process()
    if setup.isRealTime { noteArrival(after: before, at: now) }
  }

  /// Follows the microphone's lag. Runs after the request has been processed, as it does in a replay.
  private func noteArrival(after before: Int64, at now: ContinuousClock.Instant) {
    let arrived = session.microphoneArrived
    guard arrived > before, !isEnding else { return }
    let media = setup.microphone.rate.duration(ofSamples: Int(arrived))
    jitter.note(media: media, now: now)
    let change = lag.note(media: media.nanoseconds, samples: arrived - before, now: now)
    guard let isLate = change else { return }
    recorder?.note(.microphoneLate(isLate))
    session.microphoneIsLate(isLate, sink: self)
  }

  /// Processes what is left, a turn at a time, ends the session, and has its call end with `status`.
  /// `ended` is called then, or when the client was lost before. Does nothing where the end has begun.
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
    let isOver = session.finish(ending.reason, atMost: SessionRequests.framesPerTurn, sink: self)
    if isOver { recorder?.note(.end(ending.reason, flushed: true)) }
    recorder?.advance(to: session.position)
    guard isOver else {
      self.ending?.frames += SessionRequests.framesPerTurn
      self.ending?.turn = nil
      // Else the client reads some of the output before more is made.
      if !output.isHalfFull { takeLastTurnLater() }
      return
    }
    self.ending = nil
    endCall(ending.status)
    ending.ended()
  }

  private func takeLastTurnLater() {
    ending?.turn = call.whenIdle { [weak self] in self?.takeLastTurn() }
  }

  /// Leaves the directory; once. A session that has not ended by now has lost its client.
  func close(_ reason: SessionEvent.EndReason = .clientLost) {
    if !hasEnded {
      recorder?.note(.end(reason, flushed: false, frames: ending?.frames ?? 0))
      session.end(reason, sink: self)
    }
    recorder?.finish(at: session.position)
    recorder = nil
    directory.remove(handle.id)
    ending?.ended()
    ending = nil
  }

  func announceEnd(in time: Duration) {
    guard !isEnding else { return }
    recorder?.note(.draining(Google_Protobuf_Duration(time)))
    session.announceEnd(in: time, sink: self)
  }

  /// Takes a gesture in; the answer comes now, or when it has been decided.
  func report(_ gesture: MuteGesture, _ reply: Reply<GestureResult>) throws {
    recorder?.note(.gesture(Anechoic_V1_RecordedAct.Gesture(gesture)))
    do throws(Refusal) {
      if let result = try session.report(gesture, sink: self) {
        return reply.give(.success(result))
      }
    } catch {
      throw Status(error)
    }
    guard try waiting.await(gesture, reply) else { return }
    // The media clock decides when time is over; should it stand still, so does this one.
    let limit = session.state.configuration.mute.decisionTimeout + Self.longestSilence
    waiting.timers[gesture.id] = call.schedule(after: limit) { [weak self] in
      guard let self, !isEnding else { return }
      recorder?.note(.gestureExpired(gesture.id))
      session.expireGestures(gesture.id, sink: self)
    }
  }

  func readiness() -> Readiness {
    // Nothing more is read.
    if isEnding { return .afterWrites }
    if session.hasCompleteFrame { return .afterTurn }
    // Events and answers are never lost, so who causes them has to read them.
    guard output.waiting - output.waitingAudio <= Self.longestBacklog else { return .afterWrites }
    guard setup.isRealTime else {
      return output.waiting > Self.longestBacklog ? .afterWrites : .now
    }
    let media = setup.microphone.rate.duration(ofSamples: Int(session.position)).nanoseconds
    return pacer.delay(media: media, now: .now).map { .later($0) } ?? .now
  }

  /// Drops what a slow reader is too far behind with, in real time, and goes on with the end of a
  /// session that waited for its reader.
  func clientHasRead() {
    if ending != nil, ending?.turn == nil { takeLastTurnLater() }
    guard setup.isRealTime,
      let limit = backlog.limit(afterTaking: waitingFrames, now: .now)
    else { return }
    drop(downTo: limit)
  }

  /// Frames of the processed output that wait for the client; the last chunk counts as a whole one.
  private var waitingFrames: Int { output.waitingAudio * setup.framesPerChunk }

  private func drop(downTo limit: Int) {
    while waitingFrames > limit {
      output.dropOldestAudio()
      chunksDropped += 1
      framesDropped += UInt64(setup.framesPerChunk)
      untoldFrames += setup.framesPerChunk
    }
  }

  /// Reports what was dropped of the output.
  private func tellDropped() {
    guard untoldFrames > 0 else { return }
    let samples = Int64(untoldFrames * setup.processed.rate.samplesPerFrame)
    untoldFrames = 0
    recorder?.note(.outputDropped(samples))
    session.outputWasDropped(samples: samples, sink: self)
  }

  /// Goes on with what one request left.
  func goOn() {
    guard !isEnding else { return }
    recorder?.note(.turn(.init()))
    process()
  }

  /// Processes what is complete. Runs per frame: allocates, locks, logs and awaits nothing, but for
  /// what a recorder writes down.
  private func process() {
    let began = ContinuousClock.now
    lastAudio = began
    let position = session.position
    session.process(atMost: SessionRequests.framesPerTurn, sink: self)
    recorder?.advance(to: session.position)
    let frames = (session.position - position) / Int64(setup.microphone.rate.samplesPerFrame)
    if setup.isRealTime {
      if frames > 0, silenceCheck == nil { checkSilenceLater() }
      if untoldFrames > 0, waitingFrames < OutputBacklog.most { tellDropped() }
    }
    frameTimes.note(
      nanoseconds: UInt64(began.duration(to: .now).nanoseconds), frames: UInt32(frames))
  }

  /// Tells the session when no audio comes any more: what needs the microphone is refused then.
  private func checkSilenceLater() {
    silenceCheck = call.schedule(after: Self.longestSilence / 2) { [weak self] in
      guard let self, !isEnding else { return }
      silenceCheck = nil
      guard let lastAudio, .now - lastAudio < Self.longestSilence else {
        recorder?.note(.microphoneStopped(.init()))
        return session.microphoneStopped(sink: self)
      }
      checkSilenceLater()
    }
  }

  // MARK: SessionSink

  func emit(_ chunk: OutputChunk) {
    recorder?.note(chunk)
    output.send(chunk)
    guard setup.isRealTime else { return }
    let limit = backlog.limit(afterAdding: waitingFrames, now: .now)
    // A gap that is filled comes all at once. The queue must not overflow meanwhile.
    guard let limit = output.isHalfFull ? OutputBacklog.most : limit else { return }
    drop(downTo: limit)
  }

  func emit(_ event: SessionEvent) {
    recorder?.note(event)
    let message = Anechoic_V1_SessionEvent(event, time: .init(date: .now))
    output.send(.with { $0.event = message })
    let watched = Anechoic_V1_WatchSessionResponse.with { $0.event = message }
    handle.feed.publish((try? watched.serializedBytes()) ?? [], session.state)
    waiting.note(event.kind)
    guard case .ended = event.kind else { return }
    hasEnded = true
    lifetime?.stop()
    handle.close()
  }

  func emit(_ result: ControlResult) {
    output.send(.with { $0.controlResult = Anechoic_V1_ControlResult(result) })
  }

  func emit(_ statistics: SessionStatistics) {
    let message = message(statistics)
    output.send(.with { $0.stats = message })
  }

  /// What is known of the session now.
  var statistics: Anechoic_V1_SessionStats { message(session.statistics) }

  private func message(_ statistics: SessionStatistics) -> Anechoic_V1_SessionStats {
    var message = Anechoic_V1_SessionStats(
      statistics, median: frameTimes.percentile(0.5), slowest: frameTimes.percentile(0.99),
      jitter: jitter.value)
    message.flow.outputChunksDropped = chunksDropped
    message.flow.outputSamplesDropped =
      framesDropped * UInt64(setup.processed.rate.samplesPerFrame)
    message.flow.microphoneSamplesLate = lag.lateSamples
    message.timing.outputBacklog = Google_Protobuf_Duration(.milliseconds(10) * waitingFrames)
    if let lag = lag.value(at: .now) { message.timing.inputLag = Google_Protobuf_Duration(lag) }
    return message
  }
}

/// An end that goes turn by turn.
private struct Ending {
  let reason: SessionEvent.EndReason
  let status: Status
  let ended: () -> Void
  var frames = 0  // processed since the end began
  var turn: Timer?
}
