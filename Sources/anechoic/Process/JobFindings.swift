internal import AnechoicAPI

/// The findings of a session about the audio of a job. Their memory is bounded, however long the job is.
struct JobFindings {
  /// Mean squares of the frames of 10 ms of the processed audio.
  var levels: [Float] = []
  /// Whether a voice was found in each of these frames.
  private(set) var voice: [Bool] = []
  /// Whether each of these frames was muted.
  private(set) var muted: [Bool] = []
  private(set) var mutedFrames = 0
  /// How often speech started.
  private(set) var speechCount = 0
  /// In samples of the microphone.
  private(set) var speechSamples: Int64 = 0
  /// How often somebody talked while muted.
  private(set) var mutedSpeechCount = 0
  /// How often the gain of other audio changed.
  private(set) var duckingCount = 0
  /// In dB; nil if other audio was never lowered.
  private(set) var lowestDuckingGain: Float?
  private var speechBegan: Int64?

  mutating func take(_ frame: Anechoic_V1_FrameInfo) {
    if frame.muted { mutedFrames += 1 }
    guard voice.count < LevelMeter.longest else { return }
    voice.append(frame.voice)
    muted.append(frame.muted)
  }

  mutating func take(_ event: Anechoic_V1_SessionEvent) {
    switch event.event {
    case .voiceActivityChanged(let change) where change.side == .nearEnd:
      if change.active {
        speechBegan = change.beganAtSample
      } else {
        endSpeech(at: change.beganAtSample)
      }
    case .mutedSpeechActivity(let change):
      if change.activity == .started { mutedSpeechCount += 1 }
    case .duckingChanged(let change):
      duckingCount += 1
      lowestDuckingGain = min(lowestDuckingGain ?? change.gainDb, change.gainDb)
    default: break
    }
  }

  /// Ends speech that is still going on.
  mutating func endSpeech(at sample: Int64) {
    guard let began = speechBegan.take() else { return }
    speechCount += 1
    speechSamples += max(0, sample - began)
  }
}
