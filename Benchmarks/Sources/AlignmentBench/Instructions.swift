internal import AcousticSimulator
internal import AudioCore
internal import EchoAlignment
internal import VoiceEngines
internal import VoiceSessions
internal import WebRTCEngine

/// A loop that passes a number of frames through one part, for a profiler that counts instructions.
/// The difference between two runs with different numbers of frames is the cost of the part, and of
/// the loop, which `neither` measures.
struct Instructions {
  enum Part: String {
    case neither, aligner, resampling, engine
  }

  private static let hertz = 16_000
  private static let seconds = 30

  let part: Part
  let frames: Int

  init?(_ arguments: ArraySlice<String>) {
    let words = Array(arguments)
    guard words.count == 3, words[0] == "frames", let part = Part(rawValue: words[1]),
      let frames = Int(words[2])
    else { return nil }
    (self.part, self.frames) = (part, min(frames, Self.seconds * 100))
  }

  func run() throws {
    let rate = SampleRate.hz16000
    var scene = EchoScene(rate: rate.hertz)
    scene.noiseLevel = -75
    scene.lag = part == .engine ? 0.02 : 0.3  // An aligner leaves about 20 ms.
    scene.driftPPM = part == .resampling ? 100 : 0
    let recording = scene.record(farEnd: Self.syllables)
    var aligner = try ReferenceAligner(microphone: rate, reference: rate, referenceChannelCount: 1)
    let engine = try WebRTCVoiceEngine(
      format: EngineFormat(
        rate: rate, channelCount: 1, reference: .init(rate: rate, channelCount: 1)),
      settings: SessionConfiguration().engineSettings(for: .standard))
    let (input, played, output) = (FrameBox(rate), FrameBox(rate), FrameBox(rate))
    for frame in 0..<frames {
      input.fill(recording.microphone, frame * rate.samplesPerFrame)
      played.fill(recording.reference, frame * rate.samplesPerFrame)
      switch part {
      case .neither: break
      case .aligner, .resampling:
        _ = aligner.process(microphone: input.frame, reference: played.frame, into: output.frame)
      case .engine:
        _ = engine.process(
          microphone: input.frame, reference: played.frame, conditions: EchoConditions(),
          into: output.frame)
      }
    }
  }

  /// Noise in syllables of a quarter of a second, with pauses. Under a profiler, synthesizing
  /// speech would take too long.
  private static var syllables: [Float] {
    var state: UInt32 = 1
    var smoothed: Float = 0
    return (0..<seconds * hertz).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      smoothed += 0.5 * (Float(Int32(bitPattern: state)) / Float(Int32.max) - smoothed)
      let phase = Float(index % 4000) / 4000
      return index / 4000 % 5 == 4 ? 0 : 2 * phase * (1 - phase) * smoothed
    }
  }
}
