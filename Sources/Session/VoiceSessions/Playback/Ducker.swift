internal import AudioCore

/// Lowers other audio under a call, like Apple's
/// `AVAudioVoiceProcessingOtherAudioDuckingConfiguration`.
///
/// Fixed ducking always applies the attenuation of the level. Advanced ducking applies all of it while
/// either side talks, and a third of it in decibels while neither does. The gain falls within 100 ms. It
/// rises within 1 s after 500 ms of hold.
struct Ducker {
  static let attackFrames = 10
  static let holdFrames = 50
  static let releaseFrames = 100

  /// The gain that is about to be applied, and the side that talks.
  struct Change: Equatable {
    /// The gain in dB, 0 or less.
    let gain: Float
    /// The side that talks, or nil.
    let talking: Side?
    /// The part of the frame before the change, less than 1.
    let share: Float
  }

  /// The way of the gain over a frame: straight to `turn`, and from there to `last`.
  struct Path: Equatable {
    /// The gains in dB.
    let first: Float
    let turn: Float
    let last: Float
    /// The part of the frame before the turn, less than 1.
    let share: Float
  }

  /// The gain in dB at the end of the last frame.
  private(set) var gain: Float
  /// The way of the gain over the last frame.
  private(set) var path: Path
  private var target: Float
  private var step: Float = 0  // dB per frame
  private var framesSinceTalk = Self.holdFrames
  private var talker: Side?

  init(_ settings: SessionConfiguration.Ducking) {
    target = Self.gain(settings, isTalking: false)
    gain = target
    path = Path(first: target, turn: target, last: target, share: 0)
  }

  /// Records who talks in this frame. A change of the gain begins after a `share` of the frame. Runs per
  /// frame: no allocation, lock, log or await.
  mutating func process(
    nearEndTalks: Bool, farEndTalks: Bool, _ settings: SessionConfiguration.Ducking,
    after share: Float = 0
  ) -> Change? {
    if nearEndTalks || farEndTalks {
      if framesSinceTalk >= Self.holdFrames { talker = nearEndTalks ? .nearEnd : .farEnd }
      framesSinceTalk = 0
    } else {
      framesSinceTalk = min(framesSinceTalk + 1, Self.holdFrames)
      if framesSinceTalk == Self.holdFrames { talker = nil }
    }
    let wanted = Self.gain(settings, isTalking: framesSinceTalk < Self.holdFrames)
    let change = wanted == target ? nil : Change(gain: wanted, talking: talker, share: share)
    let (first, share) = (gain, wanted == target ? 0 : share)
    move(by: share)
    let turn = gain
    if wanted != target {
      target = wanted
      step = (target - gain) / Float(target < gain ? Self.attackFrames : Self.releaseFrames)
    }
    move(by: 1 - share)
    path = Path(first: first, turn: turn, last: gain, share: share)
    return change
  }

  /// Moves the gain towards its target for a part of a frame.
  private mutating func move(by share: Float) {
    let next = gain + share * step
    gain = step < 0 ? max(target, next) : min(target, next)
  }

  static func gain(_ settings: SessionConfiguration.Ducking, isTalking: Bool) -> Float {
    let attenuation = settings.level.attenuation
    return settings.isAdvanced && !isTalking ? -attenuation / 3 : -attenuation
  }
}

extension SessionConfiguration.Ducking {
  /// The gain in dB while neither side talks.
  public var restingGain: Float { Ducker.gain(self, isTalking: false) }
}

extension SessionConfiguration.Ducking.Level {
  /// The attenuation in dB.
  var attenuation: Float {
    switch self {
    case .min: 4
    case .standard: 12
    case .mid: 18
    case .max: 30
    }
  }
}
