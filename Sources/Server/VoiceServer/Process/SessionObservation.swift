internal import GRPCTransport
internal import Logging
internal import Operations
internal import SessionWire
internal import VoiceEngines
internal import VoiceSessions

/// The part of one session in the metrics and in the log of its server.
struct SessionObservation {
  /// The number of frames between two observations of the echo: one second.
  private static let observedFrames: UInt64 = 100

  private let metrics: ServerMetrics
  private let log: ServerLog
  private let cause: ServerLog.Cause
  /// The trace of the call that starts the session, and the span of the session.
  private let trace: (any CallTrace)?
  private let span: SessionSpan?
  /// The state that the session tells once a second, or nil before it runs.
  private var health: SessionHealth?
  /// The counts of the session that the metrics contain already.
  private var counted: (frames: UInt64, referenceMissing: UInt64, concealed: UInt64) = (0, 0, 0)
  private var nextObservation = Self.observedFrames

  /// Creates the observation of a session that a call starts.
  init(_ configuration: ServerConfiguration, by call: ServerCall) {
    metrics = configuration.metrics
    log = configuration.log
    cause = ServerLog.Cause(call)
    trace = call.trace
    span = SessionSpan(under: trace, configuration.tracer)
  }

  /// Returns the observation that also tells the state of the session.
  func telling(_ health: SessionHealth) -> Self {
    var observation = self
    observation.health = health
    return observation
  }

  func started(_ id: String, _ setup: SessionSetup, _ engine: EngineIdentity) {
    let fields = RunningSession.description(of: setup, engine)
    metrics.sessionStarted(engine: engine.name)
    log.sessionStarted(id, fields, by: cause)
    span?.started(id, fields, under: trace)
  }

  /// Records that another call goes on with the session.
  func resumed(_ id: String, by call: ServerCall) { span?.resumed(id, by: call.trace) }

  func ended(_ id: String, _ reason: SessionEvent.EndReason, _ quality: Logger.Metadata) {
    let reason = RunningSession.name(of: reason)
    metrics.sessionEnded(reason: reason)
    log.sessionEnded(id, reason: reason, quality, by: cause)
    span?.ended(reason: reason, quality)
  }

  /// Counts the frames that were processed together in a time.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func record(frames: Int64, nanoseconds: UInt64, _ session: RecordedSession) {
    guard frames > 0 else { return }
    metrics.frameProcessing.record(nanoseconds / UInt64(frames), times: UInt64(frames))
    record(session)
    guard counted.frames >= nextObservation else { return }
    nextObservation = counted.frames + Self.observedFrames
    let statistics = session.statistics
    health?.publish(statistics)
    observe(statistics)
  }

  /// Counts the lateness of frames. Runs per frame: no allocation, lock, log or await.
  func record(lateness: Duration, ofFrames frames: Int64) {
    metrics.frameLateness.record(UInt64(lateness.nanoseconds), times: UInt64(frames))
  }

  /// Counts all that the session has done.
  mutating func record(_ session: RecordedSession) {
    let flow = session.flow
    metrics.framesProcessed.add(flow.framesProcessed - counted.frames)
    if flow.referenceFramesMissing != counted.referenceMissing {
      metrics.referenceMissing.add(flow.referenceFramesMissing - counted.referenceMissing)
    }
    if flow.samplesConcealed != counted.concealed {
      metrics.samplesConcealed.add(flow.samplesConcealed - counted.concealed)
    }
    counted = (flow.framesProcessed, flow.referenceFramesMissing, flow.samplesConcealed)
  }

  private func observe(_ statistics: SessionStatistics) {
    if statistics.hasConverged, statistics.heard.isReferenceActive,
      let reduction = statistics.echo.echoReturnLossEnhancement
    {
      metrics.echoReduction.record(UInt64(max(0, min(reduction, 1000)) * 100))
    }
    if let delay = statistics.echoDelay {
      metrics.echoDelay.record(UInt64(max(0, delay.nanoseconds)))
    }
    if let drift = statistics.driftPPM {
      metrics.drift.record(UInt64(min(abs(drift), 1e6) * 100))
    }
  }

  func dropped() { metrics.outputChunksDropped.add() }

  /// Counts the events that metrics show. `state` is the session's state after the event.
  func record(_ event: SessionEvent.Kind, _ state: SessionState) {
    switch event {
    case .voiceActivityChanged(let side, _, _):
      metrics.recordVoiceTransition(isFarEnd: side == .farEnd, isMuted: state.mute.isMuted)
    case .mutedSpeech where !state.configuration.voiceActivity.isEnabled:
      metrics.recordVoiceTransition(isFarEnd: false, isMuted: true)
    case .muteGestureResolved(_, let result): record(result)
    default: break
    }
  }

  func record(_ gesture: GestureResult) {
    switch gesture.outcome {
    case .applied: metrics.record(.applied)
    case .rejected: metrics.record(.rejected)
    case .timedOut: metrics.record(.timedOut)
    case .ignored: metrics.record(.ignored)
    }
  }
}
