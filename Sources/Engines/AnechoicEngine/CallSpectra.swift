internal import AudioCore
internal import CKernels

/// The spectra of a call, frame by frame: of each channel of the microphone, of the same without
/// echo, of the reference, and of the mono signals from which features are computed, which are the
/// means of the channels. A channel in opposite phase to those before it is inverted, and one that
/// is far softer than the loudest is left out.
struct CallSpectra: ~Copyable {
  private let transform: ShortTimeTransform
  let channelCount: Int
  let hop: Int
  /// The number of values in a row of the bins from which features are computed.
  private let featureRow: Int
  private let memory: FloatBuffer
  private var filters: [ChannelFilter] = []
  /// The signals to which the cancellers adapt once the delay of the echo is known. Nil if none are
  /// buffered.
  private var replay: ReplayBuffer?
  /// The smoothed cross-correlation of the last channel with those before it: negative in opposite
  /// phase.
  private var correlation: Float = 0
  private var loudness: ChannelLoudness
  /// The microphone spectrum of the current channel.
  private let microphone: Spectrum
  /// The signals from which features are computed.
  let signals: SpectralFeatures.Signals

  /// A canceller in a class, because arrays hold no noncopyable values.
  private final class ChannelFilter {
    var filter: EchoFilter

    init(hop: Int, weights: AdaptationWeights, kernels: Kernels, work: FloatArena) {
      filter = EchoFilter(hop: hop, weights: weights, kernels: kernels, work: work)
    }
  }

  /// Creates the spectra of frames of `hop` samples. Without a reference nothing is cancelled.
  /// `work` is memory that others may use after the features of a frame have been computed.
  init(
    hop: Int, channelCount: Int, hasReference: Bool, supportsReplay: Bool,
    weights: AdaptationWeights, kernels: Kernels, work: FloatArena
  ) {
    transform = ShortTimeTransform(hop: hop, kernels: kernels, work: work)
    self.hop = hop
    self.channelCount = channelCount
    loudness = ChannelLoudness(channelCount: channelCount)
    featureRow = SpectralFeatures.row(bins: hop + 1)
    let row = transform.row
    // For each channel 20 ms of the microphone, 20 ms without echo and a spectrum; 20 ms of the
    // reference.
    memory = FloatBuffer(channelCount * (4 * hop + 2 * row) + 2 * hop)
    let error = memory.start + 4 * hop
    if hasReference {
      filters = (0..<channelCount).map { _ in
        ChannelFilter(hop: hop, weights: weights, kernels: kernels, work: work)
      }
      replay = supportsReplay ? ReplayBuffer(hop: hop, channelCount: channelCount) : nil
    }
    var rest = transform.work
    microphone = rest.spectrum(row)
    let isOne = channelCount == 1
    signals = SpectralFeatures.Signals(
      error: isOne ? Spectrum(real: error, imaginary: error + row) : rest.spectrum(featureRow),
      echo: rest.spectrum(featureRow),
      microphone: isOne ? microphone : rest.spectrum(featureRow),
      reference: rest.spectrum(row))
  }

  // MARK: Memory

  private func channel(_ index: Int) -> UnsafeMutablePointer<Float> {
    memory.start + index * (4 * hop + 2 * transform.row)
  }
  private func microphoneBlock(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) }
  private func errorBlock(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) + 2 * hop }
  private func error(_ index: Int) -> Spectrum {
    let start = channel(index) + 4 * hop
    return Spectrum(real: start, imaginary: start + transform.row)
  }
  private var referenceBlock: UnsafeMutablePointer<Float> { channel(channelCount) }

  // MARK: Frames

  /// The channel of the microphone that is heard where one has to do.
  var leadingChannel: Int { loudness.leading }

  /// 20 ms of the leading channel without echo, where it is cancelled: the last frame and the present
  /// one.
  var withoutEcho: UnsafePointer<Float> { UnsafePointer(errorBlock(leadingChannel)) }

  /// The responses of the cancellers, one channel after the other. Empty without a reference.
  var echoResponses: [Float] {
    let length = EchoFilter.responseLength(hop: hop)
    var responses = [Float](repeating: 0, count: filters.count * length)
    responses.withUnsafeMutableBufferPointer { all in
      guard let start = all.baseAddress else { return }
      for (index, channel) in filters.enumerated() {
        channel.filter.readResponse(into: start + index * length)
      }
    }
    return responses
  }

  /// Begins with responses as `echoResponses` has them.
  func begin(withEchoResponses responses: [Float]) {
    let length = EchoFilter.responseLength(hop: hop)
    guard !filters.isEmpty, responses.count == filters.count * length else { return }
    responses.withUnsafeBufferPointer { all in
      guard let start = all.baseAddress else { return }
      for (index, channel) in filters.enumerated() {
        channel.filter.begin(with: start + index * length)
      }
    }
  }

  /// Resets the echo path.
  mutating func resetEchoPath() {
    replay?.clear()
    for channel in filters { channel.filter.reset() }
  }

  /// The coherence, 0...1, of the echo estimate and the microphone, in the channel with the largest
  /// one.
  var estimateCoherence: Float { filters.reduce(0) { max($0, $1.filter.estimateCoherence) } }

  /// The part of the echo estimate that is in the microphone, in the channel with the largest one.
  var estimatePresence: Float? {
    filters.reduce(nil) { most, channel in
      guard let presence = channel.filter.estimatePresence else { return most }
      return max(most ?? presence, presence)
    }
  }

  /// Adjusts the cancellers to the first move of the reference: the echo now follows its reference
  /// by `samples` fewer. The filters are shifted, and adapt to the buffered signals again.
  mutating func followFirstMove(by samples: Int) {
    if replay?.start(delay: samples) == true {
      for channel in filters { channel.filter.shiftAndReset(by: samples) }
    } else {
      for channel in filters { channel.filter.shift(by: samples) }
    }
  }

  /// Accepts a frame of finite samples. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Parameters:
  ///   - reference: 10 ms of one channel. Nil leaves the canceller as it is.
  ///   - learns: Whether the canceller adapts to the frame.
  ///   - isSearching: Whether the delay of the echo is not known yet.
  ///   - cancelsEcho: Whether the echo is cancelled. Otherwise the reference counts as silent in
  ///     the features.
  mutating func accept(
    _ frame: borrowing Frame, reference: UnsafePointer<Float>?, learns: Bool, isSearching: Bool,
    cancelsEcho: Bool
  ) {
    for index in 0..<channelCount {
      let block = microphoneBlock(index)
      block.update(from: block + hop, count: hop)
      (block + hop).update(from: frame.planePointers[index], count: hop)
    }
    if channelCount > 1 {
      loudness.record { [hop] in FloatBuffer.meanSquare(frame.planePointers[$0], hop) }
    }
    acceptReference(reference)
    if reference != nil {
      bufferFrame(learns: learns, isSearching: isSearching)
      if replay?.isReplaying == true {
        replayFrames()
      } else {
        for index in 0..<channelCount { removeEcho(index, learns: learns) }
      }
    }
    for index in 0..<channelCount {
      separate(index, cancelsEcho: cancelsEcho && reference != nil)
      mix(index)
    }
    computeEcho()
    transformReference(isUsed: cancelsEcho)
  }

  private func acceptReference(_ reference: UnsafePointer<Float>?) {
    let block = referenceBlock
    block.update(from: block + hop, count: hop)
    guard let reference else { return (block + hop).update(repeating: 0, count: hop) }
    (block + hop).update(from: reference, count: hop)
  }

  private mutating func bufferFrame(learns: Bool, isSearching: Bool) {
    guard isSearching || replay?.isReplaying == true else {
      replay?.clear()
      return
    }
    let reference = referenceBlock + hop
    replay?.append(reference: reference, learns: learns)
    for index in 0..<channelCount {
      let microphone = microphoneBlock(index) + hop
      replay?.append(microphone: microphone, channel: index)
    }
  }

  /// Adapts to some buffered frames. The echo stays in the output until the last one, the present
  /// frame.
  private mutating func replayFrames() {
    for _ in 0..<ReplayBuffer.framesPerStep where replay?.isReplaying == true { replayNextFrame() }
    let isFinished = replay?.isReplaying == false
    for index in 0..<channelCount {
      if isFinished {
        keepInBounds(index)
      } else {
        errorBlock(index).update(from: microphoneBlock(index), count: 2 * hop)
      }
    }
  }

  private mutating func replayNextFrame() {
    guard let next = replay?.popNext() else { return }
    for index in 0..<channelCount {
      guard let microphone = replay?.microphone(of: next.frame, channel: index) else { return }
      filters[index].filter.process(
        microphone: microphone, reference: next.reference, learns: next.learns,
        into: errorBlock(index))
    }
  }

  private func removeEcho(_ index: Int, learns: Bool) {
    filters[index].filter.process(
      microphone: microphoneBlock(index) + hop, reference: referenceBlock + hop, learns: learns,
      into: errorBlock(index))
    keepInBounds(index)
  }

  private func separate(_ index: Int, cancelsEcho: Bool) {
    transform.analyze(microphoneBlock(index), into: microphone)
    if cancelsEcho {
      transform.analyze(errorBlock(index), into: error(index))
    } else {
      error(index).copy(microphone, bins: transform.row)
    }
  }

  /// Lowers the output of a canceller to the level of the microphone if the canceller has made it
  /// louder, which is an error. Resets a canceller whose output is not finite.
  private func keepInBounds(_ index: Int) {
    let (block, result) = (microphoneBlock(index), errorBlock(index))
    let power = FloatBuffer.meanSquare(result, 2 * hop)
    let most = FloatBuffer.meanSquare(block, 2 * hop)
    guard power.isFinite else {
      filters[index].filter.reset()
      return result.update(from: block, count: 2 * hop)
    }
    guard power > most else { return }
    let factor = (most / power).squareRoot()
    for sample in 0..<(2 * hop) { result[sample] *= factor }
  }

  /// Adds a channel to the mean of the channels, if there are several.
  private mutating func mix(_ index: Int) {
    guard channelCount > 1 else { return }
    if index == 0 {
      signals.error.clear(bins: featureRow)
      signals.microphone.clear(bins: featureRow)
    }
    guard loudness.counts(index) else { return }
    if index > 0 {
      let product = Self.product(microphone, signals.microphone, featureRow)
      correlation += 0.05 * (product - correlation)
    }
    let share = index > 0 && correlation < 0 ? -loudness.share : loudness.share
    Self.add(error(index), share, to: signals.error, featureRow)
    Self.add(microphone, share, to: signals.microphone, featureRow)
  }

  private func computeEcho() {
    let (error, echo, microphone) = (signals.error, signals.echo, signals.microphone)
    for bin in 0..<featureRow {
      echo.real[bin] = microphone.real[bin] - error.real[bin]
      echo.imaginary[bin] = microphone.imaginary[bin] - error.imaginary[bin]
    }
  }

  private func transformReference(isUsed: Bool) {
    if isUsed {
      transform.analyze(referenceBlock, into: signals.reference)
    } else {
      signals.reference.clear(bins: featureRow)
    }
  }

  private static func product(_ one: Spectrum, _ other: Spectrum, _ count: Int) -> Float {
    var sum: Float = 0
    for bin in 0..<count {
      sum += one.real[bin] * other.real[bin] + one.imaginary[bin] * other.imaginary[bin]
    }
    return sum
  }

  private static func add(_ part: Spectrum, _ share: Float, to sum: Spectrum, _ count: Int) {
    for bin in 0..<count {
      sum.real[bin] += share * part.real[bin]
      sum.imaginary[bin] += share * part.imaginary[bin]
    }
  }

  // MARK: Outputs

  /// The values of a row of bins, padded for the kernels.
  var row: Int { transform.row }

  /// Returns memory for the tails of an output: 10 ms for each channel.
  func makeTails() -> FloatBuffer { FloatBuffer(channelCount * hop) }

  /// The spectra from which an output is made.
  struct Choice {
    /// Whether they are those without echo.
    var cancelsEcho: Bool
    /// Whether the analysis has them.
    var isAnalyzed: Bool
    /// Whether another output needs those of the analysis after it.
    var isKept: Bool
  }

  /// Returns a spectrum of the frame before any gain. If the analysis does not have it, its memory is
  /// shared with the next one that the analysis does not have.
  private func spectrum(_ choice: Choice, _ index: Int) -> Spectrum {
    guard !choice.isAnalyzed else { return error(index) }
    let block = choice.cancelsEcho ? errorBlock(index) : microphoneBlock(index)
    transform.analyze(block, into: signals.reference)
    return signals.reference
  }

  /// Keeps the spectra of the frame with a gain for each bin. Call it before `finish`, which may change
  /// the spectra. Runs per frame: no allocation, lock, log or await.
  func keep(
    _ choice: Choice, gains: UnsafePointer<Float>, for recognizer: borrowing RecognizerSpectra
  ) {
    for index in 0..<channelCount {
      apply(gains, to: spectrum(choice, index), into: recognizer.spectrum(index))
    }
  }

  private func apply(_ gains: UnsafePointer<Float>, to bins: Spectrum, into output: Spectrum) {
    let count = Int32(transform.row)
    transform.kernels.table.multiply(bins.real, gains, output.real, count)
    transform.kernels.table.multiply(bins.imaginary, gains, output.imaginary, count)
  }

  /// Fills `output` with the signal of 10 ms ago, from the spectra that were kept. Runs per frame: no
  /// allocation, lock, log or await.
  func read(_ recognizer: borrowing RecognizerSpectra, into output: borrowing Frame) {
    guard recognizer.isUsed else { return }
    for index in 0..<channelCount {
      transform.synthesize(
        recognizer.spectrum(index), tail: recognizer.tail(index),
        into: output.planePointers[index])
    }
  }

  /// Fills `output` with the signal of 10 ms ago, with a gain for each bin. `tails` has 10 ms for each
  /// channel. Runs per frame: no allocation, lock, log or await.
  func finish(
    _ choice: Choice, gains: UnsafePointer<Float>, tails: borrowing FloatBuffer,
    into output: borrowing Frame
  ) {
    for index in 0..<channelCount {
      let bins = spectrum(choice, index)
      let product = choice.isAnalyzed && choice.isKept ? signals.reference : bins
      apply(gains, to: bins, into: product)
      transform.synthesize(
        product, tail: tails.start + index * hop, into: output.planePointers[index])
    }
  }
}

/// The spectrum of a frame for a recognizer and the half of the window before it, for each channel.
struct RecognizerSpectra: ~Copyable {
  let isUsed: Bool
  private let memory: FloatBuffer
  private let row: Int
  private let size: Int

  /// Creates memory for the channels of these spectra. Allocates nothing unless `isUsed`.
  init(_ spectra: borrowing CallSpectra, isUsed: Bool) {
    self.isUsed = isUsed
    row = spectra.row
    size = 2 * row + spectra.hop
    memory = FloatBuffer(isUsed ? spectra.channelCount * size : 0)
  }

  func spectrum(_ channel: Int) -> Spectrum {
    let start = memory.start + channel * size
    return Spectrum(real: start, imaginary: start + row)
  }

  func tail(_ channel: Int) -> UnsafeMutablePointer<Float> {
    memory.start + channel * size + 2 * row
  }

  func copy(_ other: borrowing RecognizerSpectra) { memory.copy(other.memory) }
}
