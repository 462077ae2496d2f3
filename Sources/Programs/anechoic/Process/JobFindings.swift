internal import AnechoicAPI

/// The findings of a session about the audio of a job. Uses a bounded amount of memory.
struct JobFindings {
  /// The mean square of each processed frame of 10 ms, up to the first hour.
  var levels: [Float] = []
  /// Whether each of these frames contains voice.
  private(set) var voice: [Bool] = []
  /// Whether each of these frames was muted.
  private(set) var muted: [Bool] = []
  private(set) var mutedFrames = 0
  /// The number of times that speech started.
  private(set) var speechCount = 0
  /// The duration of speech in samples of the microphone.
  private(set) var speechSamples: Int64 = 0
  /// The number of times that somebody talked while muted.
  private(set) var mutedSpeechCount = 0
  /// The number of changes of the gain of other audio.
  private(set) var duckingCount = 0
  /// The lowest gain of other audio in dB. Nil if the gain never changed.
  private(set) var lowestDuckingGain: Float?
  /// The words for everything with which the job fails although the session went well: controls
  /// that were refused, and files for which the session has learnt nothing.
  var problems: [String] = []
  private var speechBegan: Int64?

  mutating func accept(_ frame: Anechoic_V1_FrameInfo) {
    if frame.muted { mutedFrames += 1 }
    guard voice.count < LevelMeter.longest else { return }
    voice.append(frame.voice)
    muted.append(frame.muted)
  }

  mutating func accept(_ event: Anechoic_V1_SessionEvent) {
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

  /// Ends speech that is in progress.
  mutating func endSpeech(at sample: Int64) {
    guard let began = speechBegan.take() else { return }
    speechCount += 1
    speechSamples += max(0, sample - began)
  }
}
