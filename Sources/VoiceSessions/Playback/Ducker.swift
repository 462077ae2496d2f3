internal import AudioCore

/// Lowers other audio under a call; Apple's `AVAudioVoiceProcessingOtherAudioDuckingConfiguration`.
///
/// Fixed, by the level's attenuation always. Advanced, by all of it while either side talks and by
/// a third of it, in decibels, while neither does. Down within 100 ms, up again within 1 s after
/// 500 ms of hold.
struct Ducker {
  static let attackFrames = 10
  static let holdFrames = 50
  static let releaseFrames = 100

  /// What is about to be applied, and who talks.
  struct Change: Equatable {
    /// In dB, 0 or less.
    let gain: Float
    /// Nil for nobody.
    let talking: Side?
  }

  /// In dB, at the end of the last frame.
  private(set) var gain: Float
  private var target: Float
  private var step: Float = 0  // dB per frame
  private var framesSinceTalk = Self.holdFrames
  private var talker: Side?

  init(_ settings: SessionConfiguration.Ducking) {
    target = Self.gain(settings, isTalking: false)
    gain = target
  }

  /// Takes in who talks. Runs per frame: no allocation, lock, log or await.
  mutating func process(
    nearEndTalks: Bool, farEndTalks: Bool, _ settings: SessionConfiguration.Ducking
  ) -> Change? {
    if nearEndTalks || farEndTalks {
      if framesSinceTalk >= Self.holdFrames { talker = nearEndTalks ? .nearEnd : .farEnd }
      framesSinceTalk = 0
    } else {
      framesSinceTalk = min(framesSinceTalk + 1, Self.holdFrames)
      if framesSinceTalk == Self.holdFrames { talker = nil }
    }
    let wanted = Self.gain(settings, isTalking: framesSinceTalk < Self.holdFrames)
    let change = wanted == target ? nil : Change(gain: wanted, talking: talker)
    if wanted != target {
      target = wanted
      step = (target - gain) / Float(target < gain ? Self.attackFrames : Self.releaseFrames)
    }
    gain = step < 0 ? max(target, gain + step) : min(target, gain + step)
    return change
  }

  static func gain(_ settings: SessionConfiguration.Ducking, isTalking: Bool) -> Float {
    let attenuation = settings.level.attenuation
    return settings.isAdvanced && !isTalking ? -attenuation / 3 : -attenuation
  }
}

extension SessionConfiguration.Ducking.Level {
  /// In dB.
  var attenuation: Float {
    switch self {
    case .min: 4
    case .standard: 12
    case .mid: 18
    case .max: 30
    }
  }
}
