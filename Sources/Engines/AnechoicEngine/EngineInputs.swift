internal import AudioCodecs
internal import AudioCore
internal import VoiceEngines

/// The inputs of a frame as the engine analyzes them: the microphone with and without the high-pass
/// filter, and the reference at the rate of the microphone, in one channel.
struct EngineInputs: ~Copyable {
  /// The microphone as it was captured, where its samples are numbers.
  let sound: Frame
  /// The microphone behind the high-pass filter.
  let filtered: Frame
  let reference: Frame
  let hasReference: Bool
  private let played: Frame
  private var toReference: FrameConverter
  private var highPass: HighPassStage
  /// The mean squares of the last two frames of the microphone.
  private(set) var microphonePowers: (last: Float, before: Float) = (0, 0)

  init(_ format: EngineFormat, highPassFilter: Bool) throws(EngineError) {
    let played = format.reference ?? .init(rate: format.rate, channelCount: 1)
    do {
      toReference = try FrameConverter(
        from: played.rate, played.channelCount, to: format.rate, 1)
    } catch {
      throw EngineError("the reference cannot be converted: \(error)")
    }
    highPass = HighPassStage(format, isOn: highPassFilter)
    sound = Frame(rate: format.rate, channelCount: format.channelCount)
    filtered = Frame(rate: format.rate, channelCount: format.channelCount)
    self.played = Frame(rate: played.rate, channelCount: played.channelCount)
    reference = Frame(rate: format.rate, channelCount: 1)
    hasReference = format.reference != nil
  }

  /// Returns a number of samples of the reference as it is played, at the rate of the microphone.
  func microphoneSamples(ofPlayed samples: Int) -> Double {
    Double(samples) * (Double(sound.rate.hertz) / Double(played.rate.hertz))
  }

  /// Switches the high-pass filter.
  mutating func applyHighPass(isOn: Bool, after samples: Int) {
    let hop = sound.sampleCount
    // A window of two frames hears the filter: the first one that begins at the sample or later.
    highPass.apply(isOn: isOn, after: (samples + 2 * hop - 1) / hop * hop)
  }

  /// Copies and filters a frame of the microphone. Runs per frame: no allocation, lock, log or await.
  mutating func load(microphone: borrowing Frame) {
    sound.copySound(microphone)
    highPass.process(sound, into: filtered)
    microphonePowers = (filtered.meanSquare, microphonePowers.last)
  }

  /// Copies and converts a frame of the reference. Runs per frame: no allocation, lock, log or await.
  mutating func load(reference frame: borrowing Frame) {
    played.copySound(frame)
    toReference.process(played, into: reference)
  }
}

extension Frame {
  /// The largest magnitude of a sample that counts as sound: 12 dB above full scale.
  private static let loudest: Float = 4
  /// Softer samples, below -300 dBFS, are silence: squares of them would be denormal numbers, which
  /// processors multiply slowly.
  private static let softest: Float = 1e-15

  /// Copies the samples of a frame that can be sound. NaN, infinite samples and samples that are
  /// too soft become silence, and samples that are too large are clipped.
  func copySound(_ other: borrowing Frame) {
    for channel in 0..<channelCount {
      let (source, target) = (other.planePointers[channel], planePointers[channel])
      for index in 0..<sampleCount {
        let sample = source[index]
        let isSound = sample.isFinite && abs(sample) >= Self.softest
        target[index] = isSound ? min(max(sample, -Self.loudest), Self.loudest) : 0
      }
    }
  }
}
