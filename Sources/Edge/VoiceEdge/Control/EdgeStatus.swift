internal import AnechoicAPI
internal import GRPCTransport
internal import Synchronization
internal import VoiceClient

/// The part of the agent's status that the voice thread knows.
struct EdgeStatus: Sendable, Equatable {
  var isConnected = false
  /// The number of the connection to the session on the server, another one for each. Nil for none.
  var connection: Int?
  /// Whether a session on the server or on this machine processes the voice. Nil until the voice thread
  /// has told it.
  var hasSession: Bool?
  /// The name of the session on the server. Empty if there is none.
  var session = ""
  /// The number of sessions since the start of the agent.
  var sessionCount = 0
  /// The number of times that a session was continued after its connection was lost.
  var resumptionCount = 0
  /// The time at which the server was lost, in ns of the monotonic clock.
  var gapSince: Int64?
  /// The duration of the last gap without a server.
  var lastGap: Duration?
  var route: String?
  var call = CallState()
  var mute = EdgeMute(session: false)
  var muteActor = ""
  var voiceActive = false
  var mutedSpeechActive = false
  /// The reason why the microphone is open or closed. Nil until the voice thread has decided.
  var microphone: MicrophoneUse?
  /// Whether the sound of the microphone reaches the server or a program.
  var isRecording = false
  var latency = LatencyMeter.Shares()
  /// The number of microphone frames that were dropped because they were too late.
  var droppedFrames = 0
  /// The number of frames that were replaced by silence.
  var concealedFrames = 0
  /// The number of microphone samples that the server reported as missing.
  var reportedGapSamples: Int64 = 0
  /// The number of frames that the connection did not accept in time.
  var sendDropped = 0
  var stats: Anechoic_V1_SessionStats?
  /// The voice that VOICE_ISOLATION keeps.
  var voice = Anechoic_V1_EdgeStatus.Voice()
  /// The clients that wait for permission to speak into the call.
  var injectionQuestions: [InjectionQuestion] = []
  /// The sounds of programs. Empty without automatic switching.
  var sounds = ProgramSounds.Summary()

  /// Whether the person talks although the microphone is muted.
  var isMutedTalking: Bool { mutedSpeechActive && mute.isMuted }
}

/// The status that the voice thread publishes, and the tasks that watch it.
final class StatusBoard: Sendable {
  private struct State {
    var status = EdgeStatus()
    var watchers: [Int: AsyncStream<EdgeStatus>.Continuation] = [:]
    var next = 0
    var muted: Bool?
    var recording: Bool?
  }

  private let state = Mutex(State())
  private let mutedChanged: @Sendable (_ isMuted: Bool) -> Void
  private let recordingChanged: @Sendable (_ isRecording: Bool) -> Void

  /// Creates a board. The functions are called when a state has changed, for lamps, and must return
  /// quickly.
  init(
    mutedChanged: @escaping @Sendable (_ isMuted: Bool) -> Void,
    recordingChanged: @escaping @Sendable (_ isRecording: Bool) -> Void = { _ in }
  ) {
    self.mutedChanged = mutedChanged
    self.recordingChanged = recordingChanged
  }

  var status: EdgeStatus { state.withLock { $0.status } }

  /// Publishes a status. Call it from one thread.
  func publish(_ status: EdgeStatus) {
    let (isMuted, isRecording) = (status.mute.isMuted, status.isRecording)
    let (watchers, muted, recording) = state.withLock { state in
      let watchers = status == state.status ? [] : Array(state.watchers.values)
      let muted = state.muted == isMuted ? nil : isMuted
      let recording = state.recording == isRecording ? nil : isRecording
      (state.status, state.muted, state.recording) = (status, isMuted, isRecording)
      return (watchers, muted, recording)
    }
    // Not under the lock: a watcher that is cancelled takes the lock.
    for watcher in watchers { watcher.yield(status) }
    if let muted { mutedChanged(muted) }
    if let recording { recordingChanged(recording) }
  }

  /// Returns the result of `body`, or throws UNAVAILABLE if a connection to the session is lost before,
  /// even if another one has followed.
  func whileConnected<Result: Sendable>(
    by connection: Int?, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await race(
      body,
      { [self] in
        for await status in watch()
        where !status.isConnected || status.connection != connection { break }
        throw Status(.unavailable, "the session was lost")
      })
  }

  /// Waits until the status changes, at most for a time.
  func waitForChange(atMost limit: Duration) async {
    let before = status
    try? await race(
      { try await Task.sleep(for: limit) },
      { [self] in
        for await status in watch() where status != before { return }
      })
  }

  /// Returns a stream of the status now, and of each change. A slow reader gets only the latest
  /// status.
  func watch() -> AsyncStream<EdgeStatus> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EdgeStatus.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      // Under the lock, so that no later status precedes this one.
      continuation.yield(state.status)
      state.next += 1
      state.watchers[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.watchers.removeValue(forKey: id) }
    }
    return stream
  }
}
