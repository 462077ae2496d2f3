internal import AudioCore

/// The level that a signal falls back to: follows it down at once, and up by 3 dB a second.
struct NoiseFloorTracker {
  private static let risePerFrame: Float = 0.03  // dB

  /// In dBFS.
  private(set) var level: Float = 0

  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(level frameLevel: Float) {
    // Digital silence is a microphone that is off, not a quiet room.
    guard frameLevel > Decibels.silence else { return }
    level = min(frameLevel, level + Self.risePerFrame)
  }
}
