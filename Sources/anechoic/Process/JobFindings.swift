internal import AnechoicAPI
internal import SwiftProtobuf

/// What was found in what a session sent.
struct JobFindings {
  /// Mean squares of frames of 10 ms of the processed audio.
  var levels: [Float] = []
  /// In which of these frames a voice was found.
  private(set) var voice: [Bool] = []
  /// Which of these frames were muted.
  private(set) var muted: [Bool] = []
  /// In samples of the microphone, from where speech began to where it ended.
  private(set) var speech: [Range<Int64>] = []
  /// How often somebody talked who was muted.
  private(set) var mutedSpeechCount = 0
  /// What other audio was changed to, in dB.
  private(set) var duckingGains: [Float] = []
  private var speechBegan: Int64?

  mutating func take(_ frame: Anechoic_V1_FrameInfo) {
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
    case .duckingChanged(let change): duckingGains.append(change.gainDb)
    default: break
    }
  }

  /// Ends speech that goes on.
  mutating func endSpeech(at sample: Int64) {
    guard let began = speechBegan.take() else { return }
    speech.append(began..<max(began, sample))
  }
}
