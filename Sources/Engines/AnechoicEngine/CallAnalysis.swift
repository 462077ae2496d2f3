package import AudioCore
internal import VoiceEngines

/// The analysis of a call, frame by frame: the spectra of its signals, their features, and the
/// outputs of the networks.
struct CallAnalysis: ~Copyable {
  private(set) var spectra: CallSpectra
  private(set) var features: SpectralFeatures
  private var maskNetwork: MaskNetwork
  private var stateHold = StateHold()
  /// The state of the full-band GRU after a quiet room. Nil if the analysis is not that of a whole
  /// call.
  private let quietRoomState: [Float]?
  private var framesWithReference = 0
  private var holes = MicrophoneHoles()
  /// Whether the last frame was in a hole of the microphone, so that gains, probabilities and features
  /// are those of the frame before.
  private(set) var isInHole = false
  /// The probability of a near voice in the last frame that was analyzed.
  private var voice: Float = 0

  /// Creates an analysis of frames of `hop` samples. Without a reference nothing is cancelled.
  ///
  /// - Parameter quietRoomState: The initial state of the full-band GRU, for calls that may last
  ///   long and begin in the middle of a word.
  init(
    hop: Int, channelCount: Int = 1, hasReference: Bool, weights: EngineWeights,
    quietRoomState: [Float]? = nil, kernels: Kernels = .best
  ) {
    let work = FloatArena.forWork()
    spectra = CallSpectra(
      hop: hop, channelCount: channelCount, hasReference: hasReference,
      supportsReplay: quietRoomState != nil, weights: weights.adaptation, kernels: kernels,
      work: work)
    features = SpectralFeatures(bins: hop + 1, bands: .shared(bins: hop + 1), kernels: kernels)
    maskNetwork = MaskNetwork(weights: weights.maskNetwork, kernels: kernels, work: work)
    self.quietRoomState = quietRoomState
    if let quietRoomState { maskNetwork.setFullBandState(quietRoomState) }
  }

  /// The number of frames at the onset of a call in which a far end counts as present from its
  /// start.
  private static let onsetFrames = 10
  /// The number of frames of silence after which the state is that of a quiet room. One more would
  /// be a long silence.
  private static let quietRoomFrames = 99

  /// Returns the state of the full-band GRU after a second of a quiet room.
  static func quietRoomState(_ weights: EngineWeights) -> [Float] {
    let silence = Frame(rate: .hz16000, channelCount: 1)
    var analysis = CallAnalysis(
      hop: silence.sampleCount, hasReference: false, weights: weights)
    for _ in 0..<quietRoomFrames {
      _ = analysis.accept(silence, reference: nil, cancelsEcho: false)
    }
    return analysis.maskNetwork.fullBandState
  }

  /// The gains of the mask network for the last frame.
  var gains: MaskNetwork.Gains { maskNetwork.gains }

  /// The probability of a voice in the last frame by the auxiliary output of the mask network.
  var auxiliaryVoice: Float { maskNetwork.auxiliaryVoice }

  /// Resets the echo path.
  mutating func resetEchoPath() { spectra.resetEchoPath() }

  /// Lets the echo path follow a reference that was moved, as `CallSpectra.followFirstMove` does.
  mutating func followFirstMove(by samples: Int) { spectra.followFirstMove(by: samples) }

  /// Accepts a frame as `CallSpectra.accept` does, and returns the probability of a near voice. The
  /// gains of the frame are computed only if `computesGains` is true. Runs per frame: no
  /// allocation, lock, log or await.
  ///
  /// - Parameters:
  ///   - meanSquare: The mean square of the microphone before its filter. Nil for that of the frame.
  ///   - isConcealed: Whether a part of the frame is missing.
  mutating func accept(
    _ frame: borrowing Frame, reference: UnsafePointer<Float>?, meanSquare: Float? = nil,
    isConcealed: Bool = false, learns: Bool = true, isSearching: Bool = false, cancelsEcho: Bool,
    computesGains: Bool = true
  ) -> Float {
    if let reference { recordReferenceOnset(reference, frame.sampleCount) }
    spectra.accept(
      frame, reference: reference, learns: learns, isSearching: isSearching,
      cancelsEcho: cancelsEcho)
    isInHole = holes.contains(
      meanSquare: meanSquare ?? frame.meanSquare, isConcealed: isConcealed)
    guard !isInHole else { return voice }
    features.compute(spectra.signals, into: maskNetwork.features)
    if features.hasLongSilence {
      if let quietRoomState {
        maskNetwork.setFullBandState(quietRoomState)
      } else {
        maskNetwork.reset()
      }
    }
    voice = computesGains ? maskNetwork.process() : maskNetwork.processVoice()
    // The network did not hear the hum, and so does not lower it.
    if computesGains { maskNetwork.lowerNoiseGains(by: features.humGains, count: SteadyHum.bands) }
    if let quietRoomState {
      stateHold.record(
        voice, power: features.means.error,
        farEndPlays: features.means.reference > EchoReductionMeter.leastPower,
        quietRoomState: quietRoomState, maskNetwork)
    }
    return voice
  }

  /// Resets the state of a quiet room if the far end plays from the start of the call: an echo is
  /// then more likely than a voice.
  private mutating func recordReferenceOnset(_ reference: UnsafePointer<Float>, _ count: Int) {
    guard quietRoomState != nil, framesWithReference < Self.onsetFrames else { return }
    framesWithReference += 1
    guard FloatBuffer.meanSquare(reference, count) > EchoReductionMeter.leastPower else { return }
    framesWithReference = Self.onsetFrames
    maskNetwork.reset()
  }

  /// Accepts a frame of which only the spectra are needed, without features, gains and probability.
  mutating func removeEcho(_ frame: borrowing Frame, reference: UnsafePointer<Float>) {
    spectra.accept(
      frame, reference: reference, learns: true, isSearching: false, cancelsEcho: true)
  }

  /// Accepts a frame without echo, and returns the probability of a voice. No gains are computed.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func acceptWithoutEcho(_ frame: borrowing Frame) -> Float {
    accept(frame, reference: nil, cancelsEcho: false, computesGains: false)
  }
}

extension FloatArena {
  /// Returns an arena for the results of one frame. It is large enough for each part of an engine
  /// by itself, so that parts that run one after the other can share it.
  package static func forWork() -> FloatArena { FloatArena(capacity: workCount) }

  /// The number of values in an arena for work.
  package static let workCount = 10_848
}
