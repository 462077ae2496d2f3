internal import AnechoicAPI
internal import Synchronization

/// What is known of the agent at a moment: the voice thread's part of it.
struct EdgeStatus: Sendable, Equatable {
  var isConnected = false
  /// Its name on the server; empty where there is none.
  var session = ""
  /// Since the start of the agent.
  var sessionCount = 0
  /// When the server was lost, in ns of the monotonic clock.
  var gapSince: Int64?
  /// How long it was away the last time.
  var lastGap: Duration?
  var route: String?
  var mute = EdgeMute(session: false)
  var muteActor = ""
  var voiceActive = false
  var mutedSpeechActive = false
  var latency = LatencyMeter.Shares()
  /// Frames of the microphone that came too late to be of use.
  var droppedFrames = 0
  /// Frames in whose place silence was sent.
  var concealedFrames = 0
  /// Samples of the microphone that the server said are missing.
  var reportedGapSamples: Int64 = 0
  /// Frames that the connection did not take in time.
  var sendDropped = 0
  var stats: Anechoic_V1_SessionStats?
}

/// Where the voice thread leaves the agent's status, and others wait for changes of it.
final class StatusBoard: Sendable {
  private struct State {
    var status = EdgeStatus()
    var watchers: [Int: AsyncStream<EdgeStatus>.Continuation] = [:]
    var next = 0
    var lamp: Bool?
  }

  private let state = Mutex(State())
  private let lampChanged: @Sendable (_ isMuted: Bool) -> Void

  /// `lampChanged` is called when mute has changed, quickly.
  init(lampChanged: @escaping @Sendable (_ isMuted: Bool) -> Void) {
    self.lampChanged = lampChanged
  }

  var status: EdgeStatus { state.withLock { $0.status } }

  /// From one thread.
  func publish(_ status: EdgeStatus) {
    let (watchers, lamp) = state.withLock { state in
      let watchers = status == state.status ? [] : Array(state.watchers.values)
      let lamp = state.lamp == status.mute.isMuted ? nil : status.mute.isMuted
      state.status = status
      state.lamp = status.mute.isMuted
      return (watchers, lamp)
    }
    // Not under the lock: a watcher that is cancelled takes it while nobody else may wake its task.
    for watcher in watchers { watcher.yield(status) }
    if let lamp { lampChanged(lamp) }
  }

  /// The status now, and then each that differs; of many at once, the last.
  func watch() -> AsyncStream<EdgeStatus> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EdgeStatus.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      // Before anybody else can, so that it is not told the past after the present.
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
