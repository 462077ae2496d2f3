internal import AudioCore
internal import VoiceEngines

/// The analysis of a call, frame by frame: the spectra of its signals, the features of the spectra,
/// and the findings of the network.
struct CallAnalysis: ~Copyable {
  private(set) var spectra: CallSpectra
  private(set) var features: SpectralFeatures
  private var suppressor: Suppressor
  private var pause = LongPause()
  /// The network's memory of a quiet room, if the analysis is that of a call of any length.
  private let quietRoom: [Float]?
  private var framesHeard = 0

  /// Creates an analysis of frames of `hop` samples. Without a reference nothing is cancelled. With the memory
  /// of a quiet room, it is that of a call, which may last for long and begin in the middle of a word.
  init(
    hop: Int, channelCount: Int = 1, hasReference: Bool, weights: EngineWeights,
    quietRoom: [Float]? = nil, kernels: Kernels = .best
  ) {
    let work = FloatArena.forWork()
    spectra = CallSpectra(
      hop: hop, channelCount: channelCount, hasReference: hasReference,
      keepsPast: quietRoom != nil, weights: weights.adaptation, kernels: kernels, work: work)
    features = SpectralFeatures(bins: hop + 1, bands: .shared(bins: hop + 1), kernels: kernels)
    suppressor = Suppressor(weights: weights.suppressor, kernels: kernels, work: work)
    self.quietRoom = quietRoom
    if let quietRoom { suppressor.remember(quietRoom) }
  }

  /// The frames at the beginning of a call in which a far end that begins with it begins to play.
  private static let framesOfBeginning = 10
  /// The frames of a quiet room that the network hears to remember one. One more would be a long silence.
  private static let framesOfRoom = 99

  /// Returns the memory of the network after a second of a quiet room.
  static func memoryOfQuietRoom(_ weights: EngineWeights) -> [Float] {
    let silence = Frame(rate: .hz16000, channelCount: 1)
    var analysis = CallAnalysis(
      hop: silence.sampleCount, hasReference: false, weights: weights)
    for _ in 0..<framesOfRoom {
      _ = analysis.take(silence, reference: nil, cancelsEcho: false)
    }
    return analysis.suppressor.memory
  }

  /// The network's gains of the last frame.
  var gains: Suppressor.Gains { suppressor.gains }

  /// The probability of a voice in the last frame by the suppressor itself.
  var possibleVoice: Float { suppressor.possibleVoice }

  /// Forgets the echo path.
  mutating func forgetEchoPath() { spectra.forgetEchoPath() }

  /// Lets the echo path follow a reference that was moved, as `CallSpectra.followFirstMove` does.
  mutating func followFirstMove(by samples: Int) { spectra.followFirstMove(by: samples) }

  /// Takes a frame as `CallSpectra.take` does, and returns the probability of a near voice. There are
  /// gains of the frame only if `findsGains` is true. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func take(
    _ frame: borrowing Frame, reference: UnsafePointer<Float>?, learns: Bool = true,
    isSearching: Bool = false, cancelsEcho: Bool, findsGains: Bool = true
  ) -> Float {
    if let reference { noteBeginning(reference, frame.sampleCount) }
    spectra.take(
      frame, reference: reference, learns: learns, isSearching: isSearching,
      cancelsEcho: cancelsEcho)
    features.compute(spectra.signals, into: suppressor.heard)
    if features.hasLongSilence {
      if let quietRoom { suppressor.remember(quietRoom) } else { suppressor.begin() }
    }
    let voice = findsGains ? suppressor.process() : suppressor.findVoice()
    if quietRoom != nil { pause.note(voice, suppressor) }
    return voice
  }

  /// Forgets the quiet room where the far end plays from the beginning: its echo is more likely than a voice.
  private mutating func noteBeginning(_ reference: UnsafePointer<Float>, _ count: Int) {
    guard quietRoom != nil, framesHeard < Self.framesOfBeginning else { return }
    framesHeard += 1
    guard FloatBuffer.meanSquare(reference, count) > EchoReductionMeter.leastPower else { return }
    framesHeard = Self.framesOfBeginning
    suppressor.begin()
  }

  /// Takes a frame and computes only its spectra: no features, gains or probability.
  mutating func removeEcho(_ frame: borrowing Frame, reference: UnsafePointer<Float>) {
    spectra.take(
      frame, reference: reference, learns: true, isSearching: false, cancelsEcho: true)
  }

  /// Takes a frame without echo, and returns the probability of a voice. Computes no gains. Runs
  /// per frame: no allocation, lock, log or await.
  mutating func takeWithoutEcho(_ frame: borrowing Frame) -> Float {
    take(frame, reference: nil, cancelsEcho: false, findsGains: false)
  }
}
