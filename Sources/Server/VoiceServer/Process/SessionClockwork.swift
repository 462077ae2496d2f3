internal import GRPCTransport
internal import VoiceSessions

/// The timers of a session, on the thread that the session belongs to.
struct SessionClockwork {
  /// The time without audio after which the microphone counts as stopped.
  static let longestSilence = Duration.seconds(2)

  /// The thread that the session belongs to.
  var thread: CallThread
  var lifetime: SessionLifetime?
  /// The time in which the session waits for its client. Nil while it has one.
  var suspension: Suspension?
  let began: ContinuousClock.Instant
  private var silenceCheck: Timer?

  init(_ thread: CallThread) {
    self.thread = thread
    began = thread.now
  }

  /// The present time, by the clock that the timers follow. Runs per frame.
  var now: ContinuousClock.Instant { thread.now }

  /// Starts the silence check, unless it runs already. `happened` is called after half of
  /// `longestSilence`.
  mutating func startSilenceCheck(_ happened: @escaping () -> Void) {
    guard silenceCheck == nil else { return }
    silenceCheck = thread.schedule(after: Self.longestSilence / 2, happened)
  }

  /// Records that the silence check has happened.
  mutating func silenceCheckHappened() { silenceCheck = nil }

  mutating func stopSilenceCheck() {
    silenceCheck?.cancel()
    silenceCheck = nil
  }

  /// Stops the timers of a session that ends or leaves its thread.
  mutating func stop() {
    stopSilenceCheck()
    lifetime?.stop()
    suspension?.end?.cancel()
  }
}

/// The time in which a session waits for its client.
struct Suspension {
  /// The session, which nothing else keeps alive.
  let session: RunningSession
  let began: ContinuousClock.Instant
  /// The timer that ends the session.
  var end: Timer?
}
