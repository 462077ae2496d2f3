internal import GRPCTransport
internal import VoiceSessions

/// The limits on the time of one session. Ends the session when it has received no audio for too
/// long, and when it has lasted too long.
///
/// For use on the session's thread. `stop` comes before a move to another thread.
final class SessionLifetime {
  /// A function that ends the session with a reason, and its call with a status.
  typealias End = (SessionEvent.EndReason, Status) -> Void

  private var thread: CallThread
  private let limits: AdmissionLimits
  private let began: ContinuousClock.Instant
  private let lastAudio: () -> ContinuousClock.Instant?
  private let end: End
  private var idleCheck: Timer?
  private var ending: Timer?

  /// Starts both timers. `lastAudio` returns the time at which the session last received audio, or
  /// nil if it has not received any.
  init(
    on thread: CallThread, _ limits: AdmissionLimits,
    lastAudio: @escaping () -> ContinuousClock.Instant?, end: @escaping End
  ) {
    self.thread = thread
    began = thread.now
    self.limits = limits
    self.lastAudio = lastAudio
    self.end = end
    start()
  }

  /// Starts the timers on the thread to which the session has moved.
  func move(to thread: CallThread) {
    self.thread = thread
    start()
  }

  private func start() {
    if limits.idleLimit > .zero { checkIdle(after: timeToIdle) }
    if limits.longestSession > .zero {
      let left = limits.longestSession - (thread.now - began)
      ending = thread.schedule(after: max(.zero, left)) { [weak self] in
        guard let self else { return }
        end(.maxDuration, .longestSession(limits.longestSession))
      }
    }
  }

  private var timeToIdle: Duration { limits.idleLimit - (thread.now - (lastAudio() ?? began)) }

  func stop() {
    idleCheck?.cancel()
    ending?.cancel()
  }

  private func checkIdle(after delay: Duration) {
    idleCheck = thread.schedule(after: max(.zero, delay)) { [weak self] in
      guard let self else { return }
      let left = timeToIdle
      if left > .zero {
        checkIdle(after: left)
      } else {
        end(.idle, .idle(limits.idleLimit))
      }
    }
  }
}
