internal import AudioCore
internal import VoiceSessions

/// The sounds of the agent's programs, as far as automatic switching needs them.
struct ProgramSounds {
  /// The peak above which a frame counts as sound, -60 dBFS.
  private static let threshold: Float = 0.001

  /// The far end of a call. Its pauses are longer than those of media.
  private var farEnd = SoundPresence(silence: .seconds(10), shortest: .zero)
  private var otherAudio = SoundPresence()

  /// Records the next frames; nil stands for no sound. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func record(farEndPeak: Float?, otherAudioPeak: Float?, now: ContinuousClock.Instant) {
    farEnd.record(isSounding: (farEndPeak ?? 0) > Self.threshold, now: now)
    otherAudio.record(isSounding: (otherAudioPeak ?? 0) > Self.threshold, now: now)
  }

  func summary(voiceIsRead: Bool, now: ContinuousClock.Instant) -> Summary {
    Summary(
      farEndSounds: farEnd.isHeard(now: now), mediaPlays: otherAudio.isMedia(now: now),
      notificationSounds: otherAudio.isShort(now: now), voiceIsRead: voiceIsRead)
  }

  /// The part that other threads see.
  struct Summary: Sendable, Equatable {
    var farEndSounds = false
    var mediaPlays = false
    var notificationSounds = false
    /// Whether a program reads the voice from a FIFO.
    var voiceIsRead = false
  }
}
