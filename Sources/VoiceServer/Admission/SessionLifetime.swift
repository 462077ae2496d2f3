internal import GRPCTransport
internal import VoiceSessions

/// Ends a session that receives no audio, and one that has lasted too long.
///
/// For use on the session's thread.
final class SessionLifetime {
  /// The reason of a session's end, and the status of its call.
  typealias End = (SessionEvent.EndReason, Status) -> Void

  private let call: ServerCall
  private let limits: AdmissionLimits
  private let began = ContinuousClock.now
  private let lastAudio: () -> ContinuousClock.Instant?
  private let end: End
  private var idleCheck: Timer?
  private var ending: Timer?

  /// Starts both clocks. `lastAudio` returns the time of the audio that came last, or nil before the
  /// first.
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
