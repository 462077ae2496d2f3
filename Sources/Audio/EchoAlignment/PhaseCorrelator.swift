internal import AudioCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// The generalised cross-correlation with phase transform of two signals at 4 kHz (C. Knapp and G.
/// Carter, "The Generalized Correlation Method for Estimation of Time Delay", 1976), over lags of 0
/// to 1,024 ms, averaged over blocks of 128 ms.
///
/// The lags are divided into partitions of a block, as in a partitioned-block adaptive filter
/// (J.-S. Soo and K. Pang, "Multidelay Block Frequency Domain Adaptive Filter", 1990): each block
/// of the microphone is compared with the spectra of the reference's last eight blocks. The work on
/// a block is divided into steps, which run in the frames that follow.
struct PhaseCorrelator: ~Copyable {
  /// The length of a block in samples, 128 ms.
  static let block = 512
  static let partitions = 8
  static let lagCount = block * partitions
  /// The number of steps of the work on a block.
  static let stepCount = 1 + partitions

  private static let size = 2 * block
  private static let binCount = Spectrum.binCount(size)
  /// The bins of 100 to 1,900 Hz. Lower ones contain hum, higher ones are attenuated by the
  /// low-pass.
  private static let bins = 26...486
  /// The share of a new block in the average, once the average is full: while a lag is followed, and while one
  /// is searched. A longer average finds the direct sound in a room that reverberates for long.
  private static let leastShare: Float = 1 / 6
  private static let leastShareOfSearch: Float = 1 / 16
  /// The least sum of the weights of the microphone's frequencies. A block with less is a pause.
  private static let leastWeight: Float = 20

  /// The correlation by lag, after the last step.
  let correlation = FloatBuffer(lagCount)
  /// Whether no lag is known yet.
  var isSearching = true
  /// The known drift of the lag in a block, in samples. The average is turned by it, so that a
  /// block of a second ago still adds to the same peak.
  var drift = 0.0
  private let fft = RealFFT(size: size, kernels: .baseline)
  private let output = FloatBuffer(size)
  private var reference = ReferenceBlocks()
  private var microphone = MicrophoneBlock()
  private var turn = PhaseTurn()
  private let averageBins = FloatBuffer(2 * binCount * partitions)
  private var weights = SpectralWeights(bins: bins)
  private var shortest = 0  // in the ring of averages: the partition of the shortest lags
  private var repeatsReference = false  // the last two blocks came with the same reference
  private var blocksAveraged = 0

  /// Whether the last block contains information about the lag.
  var isInformed: Bool { microphone.hasSound && reference.blocksWithout <= Self.partitions }

  /// Returns whether the reference had sound where its echo would be in the last block, at a lag in samples.
  func hasReference(at lag: Float) -> Bool {
    reference.hasSound(before: min(Int(lag) / Self.block, Self.partitions - 1))
  }

  /// Discards the average and keeps the signals. A block whose work is not done yet is not
  /// averaged.
  mutating func forget() {
    averageBins.clear()
    blocksAveraged = 0
    microphone.hasSound = false
  }

  /// Adds a block of the microphone and two blocks of the reference, the newer at the same
  /// time. Without a reference, the block is compared with the same reference as the last one.
  mutating func begin(
    reference: UnsafeMutablePointer<Float>?, microphone block: UnsafeMutablePointer<Float>
  ) {
    self.microphone.load(block)
    turn.drifted += drift
    repeatsReference = reference == nil
    if let reference { self.reference.load(reference) }
  }

  /// Adds two blocks of the reference for which there is no block of the microphone.
  mutating func skip(reference: UnsafeMutablePointer<Float>) {
    self.reference.load(reference)
    self.reference.transform(fft, weights)
  }

  /// Makes every lag longer by a block, or shorter, and moves the averages. May only be called
  /// between the last step of a block and the next block.
  mutating func shiftLags(isLonger: Bool) {
    if isLonger { shortest = (shortest + Self.partitions - 1) % Self.partitions }
    // The shortest lags are new, or leave and come back as the longest.
    average(0).clear(bins: Self.binCount)
    if !isLonger { shortest = (shortest + 1) % Self.partitions }
  }

  /// Runs one step of the work, 0..<stepCount, in order. Runs per frame: no allocation, lock, log
  /// or await.
  mutating func run(step: Int) {
    if step == 0 { transform() } else if isInformed { correlate(partition: step - 1) }
  }

  private func average(_ partition: Int) -> Spectrum {
    let slot = (shortest + partition) % Self.partitions
    return Spectrum(at: averageBins.start + slot * 2 * Self.binCount, samples: Self.size)
  }

  private mutating func transform() {
    if !repeatsReference { reference.transform(fft, weights) }
    fft.forward(microphone.input, into: microphone.spectrum)
    guard isInformed else { return }
    let weight = weights.whiten(microphone: microphone.spectrum)
    microphone.hasSound = weight >= Self.leastWeight
    guard microphone.hasSound else { return }
    blocksAveraged += 1
    turn.make()
  }

  /// Adds the last block to the average of a partition, and transforms the average.
  private mutating func correlate(partition: Int) {
    let least = isSearching ? Self.leastShareOfSearch : Self.leastShare
    let share = max(1 / Float(max(1, blocksAveraged)), least)
    let bins = average(partition)
    renew(bins, reference.spectrum(before: partition), share)
    fft.inverse(bins, into: output.start)
    (correlation.start + partition * Self.block).update(from: output.start, count: Self.block)
  }

  private func renew(_ average: Spectrum, _ reference: Spectrum, _ share: Float) {
    let (microphone, turn) = (microphone.spectrum, turn.spectrum)
    let kept = 1 - share
    for bin in Self.bins {
      let (real, imaginary) = (average.real[bin], average.imaginary[bin])
      let (xr, xi) = (reference.real[bin], reference.imaginary[bin])
      let (yr, yi) = (microphone.real[bin], microphone.imaginary[bin])
      average.real[bin] =
        kept * (real * turn.real[bin] - imaginary * turn.imaginary[bin])
        + share * (yr * xr + yi * xi)
      average.imaginary[bin] =
        kept * (real * turn.imaginary[bin] + imaginary * turn.real[bin])
        + share * (yi * xr - yr * xi)
    }
  }
}

// MARK: Blocks

extension PhaseCorrelator {
  /// The mean square, -90 dBFS, below which a block is silent.
  private static let leastPower: Float = 1e-9

  /// Returns whether a block has sound. The comparisons are false for a value that is not a number.
  private static func hasSound(_ samples: UnsafeMutablePointer<Float>, _ count: Int) -> Bool {
    let power = FloatBuffer.meanSquare(samples, count)
    return power > leastPower && power < .infinity
  }

  /// The last block of the microphone.
  private struct MicrophoneBlock: ~Copyable {
    private let samples = FloatBuffer(size)
    private let bins = FloatBuffer(2 * binCount)
    private let window = FloatBuffer(block)
    var hasSound = false

    init() {
      for index in 0..<window.count {
        let phase = 2 * Float.pi * (Float(index) + 0.5) / Float(window.count)
        window.start[index] = 0.5 - 0.5 * cosf(phase)
      }
    }

    var input: UnsafeMutablePointer<Float> { samples.start }
    var spectrum: Spectrum { Spectrum(at: bins.start, samples: size) }

    mutating func load(_ block: UnsafeMutablePointer<Float>) {
      hasSound = PhaseCorrelator.hasSound(block, PhaseCorrelator.block)
      samples.clear()
      guard hasSound else { return }
      for index in 0..<PhaseCorrelator.block {
        samples.start[PhaseCorrelator.block + index] = block[index] * window.start[index]
      }
    }
  }

  /// The spectra of the last blocks of the reference, in a ring.
  private struct ReferenceBlocks: ~Copyable {
    /// The least number of frequencies of a reference. Signals with fewer, such as a tone or hum,
    /// have no definite lag.
    private static let leastBins = PhaseCorrelator.bins.count / 8

    private let input = FloatBuffer(size)
    private let bins = FloatBuffer(2 * binCount * partitions)
    private let edge = FloatBuffer(block / 4)
    private var newest = 0
    /// Whether each spectrum of the ring has sound.
    private var sounds = [Bool](repeating: false, count: partitions)
    private(set) var blocksWithout = partitions + 1

    init() {
      for index in 0..<edge.count {
        let phase = Float.pi * (Float(index) + 0.5) / Float(edge.count)
        edge.start[index] = 0.5 - 0.5 * cosf(phase)
      }
    }

    /// Returns the spectrum that was the newest a number of blocks ago.
    func spectrum(before count: Int) -> Spectrum {
      Spectrum(at: bins.start + slot(before: count) * 2 * binCount, samples: size)
    }

    /// Returns whether that spectrum has sound.
    func hasSound(before count: Int) -> Bool { sounds[slot(before: count)] }

    private func slot(before count: Int) -> Int { (newest - count + partitions) % partitions }

    mutating func load(_ reference: UnsafeMutablePointer<Float>) {
      let hasSound = PhaseCorrelator.hasSound(reference, size)
      input.clear()
      if hasSound {
        input.start.update(from: reference, count: size)
        for index in 0..<edge.count {
          input.start[index] *= edge.start[index]
          input.start[size - 1 - index] *= edge.start[index]
        }
      }
      newest = (newest + 1) % partitions
      sounds[newest] = hasSound
      blocksWithout = hasSound ? 0 : blocksWithout + 1
    }

    mutating func transform(_ fft: borrowing RealFFT, _ weights: borrowing SpectralWeights) {
      let spectrum = spectrum(before: 0)
      fft.forward(input.start, into: spectrum)
      if weights.whiten(reference: spectrum) < Self.leastBins { sounds[newest] = false }
      if !sounds[newest] { spectrum.clear(bins: binCount) }
    }
  }

  /// The drift of the lag since the average was last turned, and a delay by it as a spectrum.
  private struct PhaseTurn: ~Copyable {
    private let bins = FloatBuffer(2 * binCount)
    /// In samples.
    var drifted = 0.0
    private var turns = true  // whether `bins` is anything but ones

    var spectrum: Spectrum { Spectrum(at: bins.start, samples: size) }

    mutating func make() {
      guard drifted != 0 || turns else { return }
      turns = drifted != 0
      let turn = spectrum
      let angle = -2 * Double.pi * drifted / Double(size)
      let (stepReal, stepImaginary) = (cos(angle), sin(angle))
      var (real, imaginary) = (1.0, 0.0)
      for bin in 0..<binCount {
        turn.real[bin] = Float(real)
        turn.imaginary[bin] = Float(imaginary)
        (real, imaginary) = (
          real * stepReal - imaginary * stepImaginary, real * stepImaginary + imaginary * stepReal
        )
      }
      drifted = 0
    }
  }
}
