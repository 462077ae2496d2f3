public import AnechoicAPI
internal import Foundation
public import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization

/// A session that survives the loss of its connection.
///
/// Requests are sent and responses are received independently of each other. `receive` also gets
/// the session back: call it all the time, also while nothing is expected. Indexes always count
/// from the start of the first session.
///
/// Call `cancel` to give up a session before its end.
///
/// In real time, `send` keeps the last audio while there is no connection and does not wait. Under the
/// media clock, it waits, and nothing is lost as long as the session can be resumed.
public final class ResumableStream: Sendable {
  /// A response of a session, or a change of its connection.
  public enum Update: Sendable {
    /// A response of the server, as from `ProcessStream`.
    case response(Anechoic_V1_ProcessResponse)
    /// The connection was lost. The next call of `receive` gets the session back.
    case reconnecting(Status)
    /// The session goes on.
    case resumed(Anechoic_V1_Started.Resumed)
    /// A new session has started, with the microphone's sample of this index. The old one is gone, for
    /// this reason: its echo path, history and injections are lost. In real time, so are the samples of the
    /// microphone that waited for it. The new one has the old one's configuration, mute state, route,
    /// interruptions that last and, if nobody else uses it, id. Permissions to inject that were decided are
    /// not asked for again.
    case restarted(Anechoic_V1_Started, atSample: Int64, lostSamples: Int64, reason: Status)
  }

  enum Phase {
    case connected(ProcessStream)
    case lost(Reconnection, reason: Status)
    /// The session has ended, or the caller has cancelled it.
    case over
  }

  /// The present connection, or the last one.
  struct Connection {
    /// The server that has the session.
    var server = 0
    /// The time of the first audio that was sent after the last response.
    var unansweredSince: ContinuousClock.Instant?
    /// The start, and the number of attempts that the connection took since the last one that was no short one.
    var connectedAt = ContinuousClock.now
    var attempts = 0
    /// Whether the connection was given up, because the server did not answer.
    var isAbandoned = false
  }

  struct State {
    var phase: Phase
    var started: Anechoic_V1_Started
    /// The mute state of the session and its configuration, with the changes of all clients. A new
    /// session begins with both.
    var isMuted: Bool
    /// The end of the microphone's audio that was captured while a session was muted, counted as by the caller.
    var mutedUntil: Int64 = 0
    var configuration: KeptConfiguration
    var voiceprint: KeptVoiceprint
    var decisions = InjectionDecisions()
    var journal: RequestJournal
    var timeline: SessionTimeline
    var connection = Connection()
    /// The number of samples of the processed output, and the last event, of this session.
    var processedSamples: Int64 = 0
    var lastEventID: UInt64 = 0
    var isFinished = false
    /// Continues the task that sends, when there is something to send.
    var sender: CheckedContinuation<Void, Never>?
    /// Continues a call of `send`, when there is room.
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// The number of requests that may wait to be sent before `send` waits.
  private static let mostUnsent = 16
  /// The audio under the media clock that may wait for its output before `send` waits.
  private static let mostUnconfirmed: Int64 = 30
  /// The number of requests that are kept without a connection, besides audio in real time.
  private static let mostKept = 4096

  let servers: [VoiceProcessingClient]
  let start: Anechoic_V1_Start
  let policy: ReconnectionPolicy
  let state: Mutex<State>

  init(
    _ servers: [VoiceProcessingClient], _ start: Anechoic_V1_Start, _ policy: ReconnectionPolicy
  ) async throws {
    self.servers = servers
    self.start = start
    self.policy = policy
    let stream = try await servers[0].process(start)
    state = Mutex(
      State(
        phase: .connected(stream), started: stream.started, isMuted: stream.started.mute.muted,
        configuration: KeptConfiguration(start.config, told: stream.started.config),
        voiceprint: KeptVoiceprint(start), journal: RequestJournal(start.inputs),
        timeline: SessionTimeline(stream.started)))
    startSending(on: stream)
  }

  /// The server's answer to the start of the present session.
  public var started: Anechoic_V1_Started { state.withLock { $0.started } }

  /// The session, for a client that starts another one in its place.
  package var kept: KeptSession {
    state.withLock { state in
      KeptSession(
        id: state.started.sessionID, configuration: state.configuration.configuration,
        began: state.connection.connectedAt)
    }
  }

  /// The delay from the microphone to the processed output. It is constant for the session.
  public var algorithmicDelay: Duration { started.processingDelay }

  var isRealTime: Bool { start.pacing != .mediaClock }
  private var rate: Int64 { max(1, Int64(start.inputs.microphone.sampleRateHz)) }

  // MARK: Sending

  /// Sends audio of one instant. Throws CANCELLED once the session has ended. Do not call two send
  /// functions at the same time.
  public func send(_ audio: Anechoic_V1_AudioInput) async throws {
    try await enqueue { $0.add(audio) }
  }

  /// Sends a control. A response with its `controlID` says whether it took effect, and at which sample.
  public func send(_ control: Anechoic_V1_Control) async throws {
    state.withLock { $0.decisions.record(control) }
    try await enqueue { $0.add(Anechoic_V1_ProcessRequest.with { $0.control = control }) }
  }

  /// Reports when playback was heard.
  public func send(_ report: Anechoic_V1_PlaybackReport) async throws {
    try await enqueue { $0.add(Anechoic_V1_ProcessRequest.with { $0.playbackReport = report }) }
  }

  /// Reports a change of the devices.
  public func send(_ report: Anechoic_V1_DeviceReport) async throws {
    try await enqueue { $0.add(Anechoic_V1_ProcessRequest.with { $0.deviceReport = report }) }
  }

  /// Sends a pose of the listener's head.
  public func send(_ pose: Anechoic_V1_HeadPose) async throws {
    try await enqueue { $0.add(Anechoic_V1_ProcessRequest.with { $0.headPose = pose }) }
  }

  /// Ends the input. The server then sends the remaining output and ends the session.
  public func finish() {
    wakeSender { $0.isFinished = true }
  }

  /// Ends the session without waiting for its output, and makes `receive` return.
  public func cancel() {
    let (stream, waiting) = state.withLock { state in
      defer { state.phase = .over }
      let stream: ProcessStream? =
        if case .connected(let stream) = state.phase { stream } else { nil }
      return (stream, [state.sender.take(), state.waiter.take()])
    }
    stream?.cancel()
    for continuation in waiting { continuation?.resume() }
  }

  private func enqueue(_ add: (inout RequestJournal) -> Void) async throws {
    while state.withLock({ !hasRoom($0) }) { try await waitForRoom() }
    var isOver = false
    wakeSender { state in
      if case .over = state.phase { return isOver = true }
      add(&state.journal)
      guard isRealTime else { return }
      var isLost = false
      if case .lost = state.phase { isLost = true }
      state.journal.trim(to: keptSamples, includingUnsent: isLost)
    }
    if isOver { throw Status(.cancelled, "the session has ended") }
  }

  /// The number of microphone samples that are kept in real time.
  private var keptSamples: Int64 {
    Int64(policy.buffer / .seconds(1) * Double(rate))
  }

  private func hasRoom(_ state: State) -> Bool {
    switch state.phase {
    case .over: return true
    case .lost where isRealTime: return state.journal.unsentCount < Self.mostKept
    case .connected, .lost:
      return state.journal.unsentCount < Self.mostUnsent
        && (isRealTime || state.journal.keptSamples < Self.mostUnconfirmed * rate)
    }
  }

  private func waitForRoom() async throws {
    try Task.checkCancellation()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if hasRoom(state) { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Changes the state and continues the task that sends.
  private func wakeSender(_ change: (inout State) -> Void) {
    let sender = state.withLock { state in
      change(&state)
      return state.sender.take()
    }
    sender?.resume()
  }

  private enum Next {
    case send(Anechoic_V1_ProcessRequest)
    case wait
    case finish
    case stop
  }

  func startSending(on stream: ProcessStream) {
    Task { [weak self] in
      while let self {
        switch nextRequest(of: stream) {
        case .send(let request):
          // `receive` reports a failure.
          do { try await stream.send(request) } catch { return }
        case .wait: await waitForRequest(of: stream)
        case .finish: return stream.finish()
        case .stop: return
        }
      }
    }
    guard isRealTime else { return }
    Task { [weak self, limit = policy.silence] in
      while self?.answers(stream, within: limit) ?? false {
        try? await Task.sleep(for: limit / 6)
      }
    }
  }

  private func nextRequest(of stream: ProcessStream) -> Next {
    let (next, waiter) = state.withLock { state -> (Next, CheckedContinuation<Void, Never>?) in
      guard case .connected(let current) = state.phase, current === stream else {
        return (.stop, nil)
      }
      guard let request = state.journal.popNext() else {
        return (state.isFinished ? .finish : .wait, nil)
      }
      if state.connection.unansweredSince == nil, case .audio = request.request {
        state.connection.unansweredSince = .now
      }
      let waiter = hasRoom(state) ? state.waiter.take() : nil
      return (.send(state.timeline.toSession(request)), waiter)
    }
    waiter?.resume()
    return next
  }

  private func waitForRequest(of stream: ProcessStream) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        // Not in the place of the sender of a stream that follows.
        guard case .connected(let current) = state.phase, current === stream,
          state.journal.unsentCount == 0, !state.isFinished
        else {
          return true
        }
        state.sender = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Gives up a connection that does not answer. Returns whether it is still in use.
  private func answers(_ stream: ProcessStream, within limit: Duration) -> Bool {
    let isInUse = state.withLock { state in
      guard case .connected(let current) = state.phase, current === stream else { return false }
      guard let since = state.connection.unansweredSince, .now - since > limit else { return true }
      state.connection.isAbandoned = true
      return false
    }
    if !isInUse, state.withLock({ $0.connection.isAbandoned }) { stream.cancel() }
    return isInUse
  }

  // MARK: Receiving

  /// Returns the next item, or nil once the session has ended. Throws any `Status` other than OK of
  /// a session that cannot go on.
  public func receive() async throws -> Update? {
    while true {
      switch state.withLock({ $0.phase }) {
      case .over: return nil
      case .lost(let reconnection, let reason):
        return try await reconnect(reconnection, reason)
      case .connected(let stream):
        do {
          guard let response = try await stream.receive() else {
            stop()
            return nil
          }
          if let update = record(response) { return update }
        } catch let status as Status {
          return .reconnecting(try lost(status))
        }
      }
    }
  }

  /// Records a response. Returns nil for output that came before, and for a question that was
  /// answered before.
  private func record(_ response: Anechoic_V1_ProcessResponse) -> Update? {
    var isAnswered = false
    let (update, waiter) = state.withLock { state -> (Update?, CheckedContinuation<Void, Never>?) in
      state.connection.unansweredSince = nil
      var isNew = true
      switch response.response {
      case .audio(let audio):
        let format = state.started.outputs.processed
        let end = audio.processed.firstSample + audio.processed.sampleCount(format)
        isNew = end > state.processedSamples
        state.processedSamples = max(state.processedSamples, end)
        state.journal.confirm(
          upTo: state.timeline.microphoneIndex(ofProcessed: state.processedSamples))
      case .event(let event):
        state.lastEventID = event.eventID
        state.voiceprint.record(event)
        if let decision = state.decisions.answer(to: event) {
          state.journal.add(.with { $0.control = decision })
          (isNew, isAnswered) = (false, true)
        }
        switch event.event {
        case .muteChanged(let change):
          state.isMuted = change.state.muted
          if !state.isMuted { state.mutedUntil = state.timeline.base + event.microphoneSample }
        case .configChanged(let change): state.configuration.changed(to: change.config)
        default: break
        }
      case .controlResult(let result):
        // A request that is not answered is sent again.
        if let control = state.journal.answered(result.controlID), !result.hasRefusal {
          if case .updateConfig(let update) = control.control {
            state.configuration.accepted(update)
          }
          state.voiceprint.record(control)
        }
      case .voiceprint(let learnt): state.voiceprint.record(learnt)
      case .started, .stats, .echoPath, nil: break
      }
      let update = isNew ? Update.response(state.timeline.toCaller(response)) : nil
      return (update, hasRoom(state) ? state.waiter.take() : nil)
    }
    waiter?.resume()
    if isAnswered { wakeSender { _ in } }
    return update
  }

  /// Records the loss of the connection. Throws the status if the session is not to be continued.
  private func lost(_ status: Status) throws -> Status {
    let now = ContinuousClock.now
    let reason: Status? = state.withLock { state in
      let isStopping = status.isStoppingServer
      guard case .connected = state.phase, policy.longestOutage > .zero,
        state.connection.isAbandoned || status.isLostConnection || isStopping
      else { return nil }
      let reason =
        state.connection.isAbandoned
        ? Status(.unavailable, "the server has not answered for \(policy.silence)") : status
      if now - state.connection.connectedAt > ReconnectionPolicy.shortSession {
        state.connection.attempts = 0
      }
      let window = state.started.resumeWindow
      let canResume = !state.started.resumeToken.isEmpty && !isStopping
      state.phase = .lost(
        Reconnection(
          policy, window: canResume ? Duration(window) : nil,
          server: state.connection.server, of: servers.count,
          after: state.connection.attempts, now: now), reason: reason)
      state.connection.isAbandoned = false
      state.connection.unansweredSince = nil
      return reason
    }
    wakeEverybody()
    guard let reason else {
      stop()
      throw status
    }
    return reason
  }

  func stop() {
    state.withLock { $0.phase = .over }
    wakeEverybody()
  }

  func wakeEverybody() {
    let waiting = state.withLock { [$0.sender.take(), $0.waiter.take()] }
    for continuation in waiting { continuation?.resume() }
  }
}
