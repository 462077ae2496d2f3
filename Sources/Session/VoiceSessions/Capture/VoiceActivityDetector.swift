internal import AudioCore

/// Turns findings in frames into speech that begins and ends.
///
/// Evidence grows by one with each voiced frame and falls by one with each other frame. Speech begins
/// when the evidence reaches the start window, and ends after a hangover without voice.
struct VoiceActivityDetector {
  enum Change: Equatable {
    case began(atFrame: Int64)
    case ended(atFrame: Int64)
  }

  private var startFrames = 1
  private var hangoverFrames = 1
  private var frame: Int64 = 0
  private var evidence = 0
  private var onset: Int64 = 0
  private var lastVoice: Int64 = 0
  private(set) var isActive = false

  init(_ configuration: SessionConfiguration.VoiceActivity) {
    set(configuration)
  }

  /// Changes the start window and the hangover, and keeps the evidence.
  mutating func set(_ configuration: SessionConfiguration.VoiceActivity) {
    startFrames = max(1, configuration.startWindow.frames)
    hangoverFrames = max(1, configuration.hangover.frames)
    evidence = min(evidence, startFrames)
  }

  /// The frame at which the present speech began.
  var onsetFrame: Int64 { onset }

  /// Whether there is no evidence of speech.
  var isQuiet: Bool { !isActive && evidence == 0 }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(hasVoice: Bool) -> Change? {
    defer { frame += 1 }
    if hasVoice {
      if isQuiet { onset = frame }
      evidence = min(evidence + 1, startFrames)
      lastVoice = frame
    } else {
      evidence = max(0, evidence - 1)
    }
    if !isActive, evidence >= startFrames {
      isActive = true
      return .began(atFrame: onset)
    }
    return isActive && frame - lastVoice >= hangoverFrames ? end() : nil
  }

  /// Ends the present speech, if there is any.
  mutating func end() -> Change? {
    evidence = 0
    guard isActive else { return nil }
    isActive = false
    return .ended(atFrame: lastVoice + 1)
  }
}
