internal import Synchronization
internal import VoiceSessions

/// The state of a session that no event tells, as other threads see it. The session's thread publishes
/// it once a second of audio.
final class SessionHealth: Sendable {
  private static let reduced: UInt8 = 1
  private static let heard: UInt8 = 2
  private static let converged: UInt8 = 4

  private let bits = Atomic<UInt8>(0)

  /// Whether the engine runs in its reduced mode.
  var isReduced: Bool { bits.load(ordering: .relaxed) & Self.reduced != 0 }

  /// Whether the echo canceller has converged. Nil until the reference has sounded for 2 s.
  var hasConverged: Bool? {
    let bits = bits.load(ordering: .relaxed)
    return bits & Self.heard != 0 ? bits & Self.converged != 0 : nil
  }

  /// Runs per frame: no allocation, lock, log or await.
  func publish(_ statistics: SessionStatistics) {
    var bits: UInt8 = 0
    if statistics.isReduced { bits |= Self.reduced }
    if statistics.heard.reduction != nil { bits |= Self.heard }
    if statistics.hasConverged { bits |= Self.converged }
    self.bits.store(bits, ordering: .relaxed)
  }
}
