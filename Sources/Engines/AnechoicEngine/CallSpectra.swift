internal import AudioCore

/// The spectra of a call, frame by frame: of each channel of the microphone with and without echo,
/// of the reference, and of the input of the network, which is the mean of the channels. A channel
/// in opposite phase to those before it is inverted first. A channel that is far softer than the
/// loudest does not count.
struct CallSpectra: ~Copyable {
  private let transform: ShortTimeTransform
  private let channelCount: Int
  private let hop: Int
  /// The values of a row of the bins that the network hears.
  private let heardRow: Int
  private let memory: FloatBuffer
  private var filters: [ChannelFilter] = []
  /// The signals from which the cancellers learn once the delay of the echo is known. Nil if they are not kept.
  private var past: EchoPast?
  /// How far the last channel is in phase with those before it: negative if it is in opposite phase.
  private var agreement: Float = 0
  private var loudness: ChannelLoudness
  /// The microphone of the channel at hand.
  private let microphone: Spectrum
  /// The signals that the network hears.
  let signals: SpectralFeatures.Signals

  /// A canceller in a class, because arrays hold no noncopyable values.
  private final class ChannelFilter {
    var filter: EchoFilter

    init(hop: Int, weights: AdaptationWeights, kernels: Kernels, work: FloatArena) {
      filter = EchoFilter(hop: hop, weights: weights, kernels: kernels, work: work)
    }
  }

  /// Creates the spectra of frames of `hop` samples. Without a reference nothing is cancelled. `work`
  /// is memory that others may use after the signals of a frame have been heard.
  init(
    hop: Int, channelCount: Int, hasReference: Bool, keepsPast: Bool, weights: AdaptationWeights,
    kernels: Kernels, work: FloatArena
  ) {
    transform = ShortTimeTransform(hop: hop, kernels: kernels, work: work)
    self.hop = hop
    self.channelCount = channelCount
    loudness = ChannelLoudness(channelCount: channelCount)
    heardRow = SpectralFeatures.row(bins: hop + 1)
    let row = transform.row
    // For each channel 20 ms of the microphone, 20 ms without echo, the tail of the output and a
    // spectrum; 20 ms of the reference.
    memory = FloatBuffer(channelCount * (5 * hop + 2 * row) + 2 * hop)
    let error = memory.start + 5 * hop
    if hasReference {
      filters = (0..<channelCount).map { _ in
        ChannelFilter(hop: hop, weights: weights, kernels: kernels, work: work)
      }
      past = keepsPast ? EchoPast(hop: hop, channelCount: channelCount) : nil
    }
    var rest = transform.work
    microphone = rest.spectrum(row)
    let isOne = channelCount == 1
    signals = SpectralFeatures.Signals(
      error: isOne ? Spectrum(real: error, imaginary: error + row) : rest.spectrum(heardRow),
      echo: rest.spectrum(heardRow),
      microphone: isOne ? microphone : rest.spectrum(heardRow),
      reference: rest.spectrum(row))
  }

  // MARK: Memory

  private func channel(_ index: Int) -> UnsafeMutablePointer<Float> {
    memory.start + index * (5 * hop + 2 * transform.row)
  }
  private func microphoneBlock(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) }
  private func errorBlock(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) + 2 * hop }
  private func tail(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) + 4 * hop }
  private func error(_ index: Int) -> Spectrum {
    let start = channel(index) + 5 * hop
    return Spectrum(real: start, imaginary: start + transform.row)
  }
  private var referenceBlock: UnsafeMutablePointer<Float> { channel(channelCount) }

  // MARK: Frames

  /// 20 ms of the first channel without echo, where it is cancelled: the last frame and the present
  /// one.
  var withoutEcho: UnsafePointer<Float> { UnsafePointer(errorBlock(0)) }

  /// Forgets the echo path.
  mutating func forgetEchoPath() {
    past?.clear()
    for channel in filters { channel.filter.reset() }
  }

  /// The part of the microphone's power, 0...1, that the cancellers predict: that of the channel whose
  /// canceller predicts most.
  var explainedShare: Float { filters.reduce(0) { max($0, $1.filter.explainedShare) } }

  /// Moves the echo path with a reference that was moved for the first time: the echo now follows
  /// its reference `samples` samples sooner. The cancellers move their paths, and learn from the
  /// past again.
  mutating func followFirstMove(by samples: Int) {
    if past?.begin(delay: samples) == true {
      for channel in filters { channel.filter.shiftToLearnAgain(by: samples) }
    } else {
      for channel in filters { channel.filter.shift(by: samples) }
    }
  }

  /// Takes a frame of finite samples. `reference` has 10 ms of one channel. Nil leaves the canceller
  /// as it is. It learns from the frame if `learns` is true. `isSearching` says that the delay of the echo is
  /// not known. Unless the echo is cancelled, the network receives silence as the reference. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func take(
    _ frame: borrowing Frame, reference: UnsafePointer<Float>?, learns: Bool, isSearching: Bool,
    cancelsEcho: Bool
  ) {
    for index in 0..<channelCount {
      let block = microphoneBlock(index)
      block.update(from: block + hop, count: hop)
      (block + hop).update(from: frame.planePointers[index], count: hop)
    }
    if channelCount > 1 {
      loudness.note { [hop] in FloatBuffer.meanSquare(frame.planePointers[$0], hop) }
    }
    takeReference(reference)
    if reference != nil {
      keepPast(learns: learns, isSearching: isSearching)
      if past?.isBeingLearned == true {
        learnPast()
      } else {
        for index in 0..<channelCount { removeEcho(index, learns: learns) }
      }
    }
    for index in 0..<channelCount {
      separate(index, cancelsEcho: cancelsEcho && reference != nil)
      mix(index)
    }
    findEcho()
    hear(reference: cancelsEcho)
  }

  private func takeReference(_ reference: UnsafePointer<Float>?) {
    let block = referenceBlock
    block.update(from: block + hop, count: hop)
    guard let reference else { return (block + hop).update(repeating: 0, count: hop) }
    (block + hop).update(from: reference, count: hop)
  }

  private mutating func keepPast(learns: Bool, isSearching: Bool) {
    guard isSearching || past?.isBeingLearned == true else {
      past?.clear()
      return
    }
    let reference = referenceBlock + hop
    past?.keep(reference: reference, learns: learns)
    for index in 0..<channelCount {
      let microphone = microphoneBlock(index) + hop
      past?.keep(microphone: microphone, channel: index)
    }
  }

  /// Learns from some frames of the past. Until the last one, which is the present frame, the echo stays.
  private mutating func learnPast() {
    for _ in 0..<EchoPast.framesAtOnce where past?.isBeingLearned == true { learnNextOfPast() }
    let isLearned = past?.isBeingLearned == false
    for index in 0..<channelCount {
      if isLearned {
        keepInBounds(index)
      } else {
        errorBlock(index).update(from: microphoneBlock(index), count: 2 * hop)
      }
    }
  }

  private mutating func learnNextOfPast() {
    guard let next = past?.takeNext() else { return }
    for index in 0..<channelCount {
      guard let microphone = past?.microphone(of: next.frame, channel: index) else { return }
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

  /// A canceller that makes the microphone louder is wrong: its output is lowered to the level of
  /// the microphone. A canceller whose output is not a number starts again.
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

  /// Adds a channel to the mean of all that count, if there are several.
  private mutating func mix(_ index: Int) {
    guard channelCount > 1 else { return }
    if index == 0 {
      signals.error.clear(bins: heardRow)
      signals.microphone.clear(bins: heardRow)
    }
    guard loudness.counts(index) else { return }
    if index > 0 {
      let product = Self.product(microphone, signals.microphone, heardRow)
      agreement += 0.05 * (product - agreement)
    }
    let share = index > 0 && agreement < 0 ? -loudness.share : loudness.share
    Self.add(error(index), share, to: signals.error, heardRow)
    Self.add(microphone, share, to: signals.microphone, heardRow)
  }

  private func findEcho() {
    let (error, echo, microphone) = (signals.error, signals.echo, signals.microphone)
    for bin in 0..<heardRow {
      echo.real[bin] = microphone.real[bin] - error.real[bin]
      echo.imaginary[bin] = microphone.imaginary[bin] - error.imaginary[bin]
    }
  }

  private func hear(reference isHeard: Bool) {
    if isHeard {
      transform.analyze(referenceBlock, into: signals.reference)
    } else {
      signals.reference.clear(bins: heardRow)
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

  /// Fills `output` with the sound of 10 ms ago without echo, with a gain for each bin. Runs per
  /// frame: no allocation, lock, log or await.
  func finish(gains: UnsafePointer<Float>, into output: borrowing Frame) {
    for index in 0..<channelCount {
      let error = error(index)
      for bin in 0...hop {
        error.real[bin] *= gains[bin]
        error.imaginary[bin] *= gains[bin]
      }
      transform.synthesize(error, tail: tail(index), into: output.planePointers[index])
    }
  }
}
