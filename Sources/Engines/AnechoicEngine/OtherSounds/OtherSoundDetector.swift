internal import AudioCore
internal import CEngineWeights
internal import CKernels
internal import VoiceEngines

/// A detector of sounds that no voice makes: how likely a voice is in what may be music or noise,
/// every 20 ms. It can only lower the probability of a voice.
/// `training/other-sounds` trains its network.
struct OtherSoundDetector: ~Copyable {
  private static let hidden = 48
  /// The probability by the network at which a voice counts by half. Hardly a frame of a voice has
  /// less: see `docs/decisions/0028-other-sounds.md`.
  private static let leastOfVoice: Float = 0.2

  private let kernels: Kernels
  /// 20 ms at 8 kHz, of which the first half may be complete.
  private let samples = FloatBuffer(PartialFeatures.step)
  private var isHalfComplete = false
  private var features: PartialFeatures
  private let network: RecurrentNetwork
  /// The part of the probability of a voice, 0...1, that remains beside what is found here.
  private(set) var voiceShare: Float = 1

  init(weights: RecurrentNetwork.Weights, kernels: Kernels = .best) {
    self.kernels = kernels
    features = PartialFeatures(kernels: kernels)
    network = RecurrentNetwork(weights: weights, kernels: kernels)
  }

  /// Records 10 ms at 8 kHz without echo. Runs per frame: no allocation, lock, log or await.
  mutating func record(_ frame: UnsafePointer<Float>) {
    let half = PartialFeatures.step / 2
    (samples.start + (isHalfComplete ? half : 0)).update(from: frame, count: half)
    isHalfComplete.toggle()
    guard !isHalfComplete else { return }
    features.add(samples.start)
    network.process(features.current)
    kernels.table.sigmoid(network.output, network.output, Int32(Kernels.width))
    let ratio = probability / Self.leastOfVoice
    voiceShare = ratio * ratio / (ratio * ratio + 1)
  }

  /// The probability, by the network, that a voice sounds.
  var probability: Float { network.output[0] }
}

// MARK: Weights

extension OtherSoundDetector {
  /// The weights, which are part of the executable, as the file that training writes.
  static var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: cew_other_sound_weights(), count: cew_other_sound_weights_size())
  }

  private static let embedded = EmbeddedWeights(
    "the weights that tell other sounds from voices"
  ) { () throws(WeightFile.FormatError) in try weights(WeightFile(bytes)) }

  /// Reads weights.
  static func weights(_ file: WeightFile) throws(WeightFile.FormatError) -> RecurrentNetwork.Weights
  {
    try .init(
      file, named: "other_sounds", inputs: PartialFeatures.count, hidden: hidden, state: hidden,
      outputs: 1)
  }

  /// Returns the weights of the executable.
  static func weights() throws(EngineError) -> RecurrentNetwork.Weights { try embedded.get() }
}
