internal import AudioCore
internal import VoiceSessions

/// The sounds of the agent's programs, by which calls begin and headsets change hands.
struct ProgramSounds {
  /// The peak above which a frame counts as sound, -60 dBFS.
  static let threshold: Float = 0.001

  /// The far end of a call. Its pauses are longer than those of media.
  private var farEnd: SoundPresence
  private var otherAudio = SoundPresence()

  /// Creates a record without sounds. The far end is heard until it has been silent for a time.
  init(farEndSilence: Duration = .seconds(10)) {
    farEnd = SoundPresence(silence: farEndSilence, shortest: .zero)
  }

  /// Records the next frames; nil stands for no sound. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func record(farEndPeak: Float?, otherAudioPeak: Float?, now: ContinuousClock.Instant) {
    record(
      farEnd: (farEndPeak ?? 0) > Self.threshold,
      otherAudio: (otherAudioPeak ?? 0) > Self.threshold,
      now: now)
  }

  /// Records whether the programs sound.
  mutating func record(farEnd: Bool, otherAudio: Bool, now: ContinuousClock.Instant) {
    self.farEnd.record(isSounding: farEnd, now: now)
    self.otherAudio.record(isSounding: otherAudio, now: now)
  }

  func farEndIsHeard(now: ContinuousClock.Instant) -> Bool { farEnd.isHeard(now: now) }

  func otherAudioIsHeard(now: ContinuousClock.Instant) -> Bool { otherAudio.isHeard(now: now) }

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
