internal import GRPCTransport
internal import VoiceSessions

/// The limits on the time of one session. Ends the session when it has received no audio for too
/// long, and when it has lasted too long.
///
/// For use on the session's thread.
final class SessionLifetime {
  /// A function that ends the session with a reason, and its call with a status.
  typealias End = (SessionEvent.EndReason, Status) -> Void

  private let call: ServerCall
  private let limits: AdmissionLimits
  private let began = ContinuousClock.now
  private let lastAudio: () -> ContinuousClock.Instant?
  private let end: End
  private var idleCheck: Timer?
  private var ending: Timer?

  /// Starts both timers. `lastAudio` returns the time at which the session last received audio, or
  /// nil if it has not received any.
  init(
    of call: ServerCall, _ limits: AdmissionLimits,
    lastAudio: @escaping () -> ContinuousClock.Instant?, end: @escaping End
  ) {
    self.call = call
    self.limits = limits
    self.lastAudio = lastAudio
    self.end = end
    if limits.idleLimit > .zero { checkIdle(after: limits.idleLimit) }
    if limits.longestSession > .zero {
      ending = call.schedule(after: limits.longestSession) { [weak self] in
        self?.end(.maxDuration, .longestSession(limits.longestSession))
      }
    }
  }

  func stop() {
    idleCheck?.cancel()
    ending?.cancel()
  }

  private func checkIdle(after delay: Duration) {
    idleCheck = call.schedule(after: delay) { [weak self] in
      guard let self else { return }
      let left = limits.idleLimit - (.now - (lastAudio() ?? began))
      if left > .zero {
        checkIdle(after: left)
      } else {
        end(.idle, .idle(limits.idleLimit))
      }
    }
  }
}
