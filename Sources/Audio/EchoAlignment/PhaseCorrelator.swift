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
  /// The mean square, -90 dBFS, below which a block is silent.
  private static let leastPower: Float = 1e-9
  /// The share of a new block in the average, once the average is full: while a lag is followed, and while one
  /// is searched. A longer average finds the direct sound in a room that reverberates for long.
  private static let leastShare: Float = 1 / 6
  private static let leastShareOfSearch: Float = 1 / 16
  /// The least number of frequencies of a reference. Signals with fewer, such as a tone or hum,
  /// have no definite lag.
  private static let leastBins = bins.count / 8
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
  private let input = FloatBuffer(size)  // of the reference
  private let microphoneInput = FloatBuffer(size)
  private let output = FloatBuffer(size)
  private let microphoneBins = FloatBuffer(2 * binCount)  // of the last block
  private let referenceBins = FloatBuffer(2 * binCount * partitions)  // in a ring
  private let averageBins = FloatBuffer(2 * binCount * partitions)
  private let window = FloatBuffer(block)
  private let edge = FloatBuffer(block / 4)
  private let turnBins = FloatBuffer(2 * binCount)  // a delay by the drift, as a spectrum
  private var drifted = 0.0  // since the average was last turned
  private var turns = true  // whether `turnBins` is anything but ones
  private var weights = SpectralWeights(bins: bins)
  private var newest = 0  // in the ring of references
  private var shortest = 0  // in the ring of averages: the partition of the shortest lags
  private var repeatsReference = false  // the last two blocks came with the same reference
  private var blocksAveraged = 0
  private var blocksWithoutReference = partitions + 1
  private var hasMicrophone = false  // in the last block
  private var hasReference = false

  init() {
    for index in 0..<window.count {
      let phase = 2 * Float.pi * (Float(index) + 0.5) / Float(window.count)
      window.start[index] = 0.5 - 0.5 * cosf(phase)
    }
    for index in 0..<edge.count {
      let phase = Float.pi * (Float(index) + 0.5) / Float(edge.count)
      edge.start[index] = 0.5 - 0.5 * cosf(phase)
    }
  }

  /// Whether the last block contains information about the lag.
  var isInformed: Bool { hasMicrophone && blocksWithoutReference <= Self.partitions }

  /// Discards the average and keeps the signals. A block whose work is not done yet is not
  /// averaged.
  mutating func forget() {
    averageBins.clear()
    blocksAveraged = 0
    hasMicrophone = false
  }

  /// Adds a block of the microphone and two blocks of the reference, the newer at the same
  /// time. Without a reference, the block is compared with the same reference as the last one.
  mutating func begin(
    reference: UnsafeMutablePointer<Float>?, microphone block: UnsafeMutablePointer<Float>
  ) {
    let microphonePower = FloatBuffer.meanSquare(block, Self.block)
    // The comparisons are false for a value that is not a number.
    hasMicrophone = microphonePower > Self.leastPower && microphonePower < .infinity
    microphoneInput.clear()
    if hasMicrophone {
      for index in 0..<Self.block {
        microphoneInput.start[Self.block + index] = block[index] * window.start[index]
      }
    }
    drifted += drift
    repeatsReference = reference == nil
    if let reference { load(reference) }
  }

  private mutating func load(_ reference: UnsafeMutablePointer<Float>) {
    let size = Self.size
    let power = FloatBuffer.meanSquare(reference, size)
    hasReference = power > Self.leastPower && power < .infinity
    input.clear()
    if hasReference {
      input.start.update(from: reference, count: size)
      for index in 0..<edge.count {
        input.start[index] *= edge.start[index]
        input.start[size - 1 - index] *= edge.start[index]
      }
    }
    newest = (newest + 1) % Self.partitions
    blocksWithoutReference = hasReference ? 0 : blocksWithoutReference + 1
  }

  /// Adds two blocks of the reference for which there is no block of the microphone.
  mutating func skip(reference: UnsafeMutablePointer<Float>) {
    load(reference)
    transformReference()
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

  private func reference(_ slot: Int) -> Spectrum {
    Spectrum(at: referenceBins.start + slot * 2 * Self.binCount, samples: Self.size)
  }

  private func average(_ partition: Int) -> Spectrum {
    let slot = (shortest + partition) % Self.partitions
    return Spectrum(at: averageBins.start + slot * 2 * Self.binCount, samples: Self.size)
  }

  private var microphone: Spectrum { Spectrum(at: microphoneBins.start, samples: Self.size) }
  private var turn: Spectrum { Spectrum(at: turnBins.start, samples: Self.size) }

  private mutating func transform() {
    if !repeatsReference { transformReference() }
    fft.forward(microphoneInput.start, into: microphone)
    guard isInformed else { return }
    let weight = weights.whiten(microphone: microphone)
    hasMicrophone = weight >= Self.leastWeight
    guard hasMicrophone else { return }
    blocksAveraged += 1
    makeTurn()
  }

  private func transformReference() {
    let reference = reference(newest)
    fft.forward(input.start, into: reference)
    let counting = weights.whiten(reference: reference)
    if !hasReference || counting < Self.leastBins { reference.clear(bins: Self.binCount) }
  }

  private mutating func makeTurn() {
    guard drifted != 0 || turns else { return }
    turns = drifted != 0
    let turn = turn
    let angle = -2 * Double.pi * drifted / Double(Self.size)
    let (stepReal, stepImaginary) = (cos(angle), sin(angle))
    var (real, imaginary) = (1.0, 0.0)
    for bin in 0..<Self.binCount {
      turn.real[bin] = Float(real)
      turn.imaginary[bin] = Float(imaginary)
      (real, imaginary) = (
        real * stepReal - imaginary * stepImaginary, real * stepImaginary + imaginary * stepReal
      )
    }
    drifted = 0
  }

  /// Adds the last block to the average of a partition, and transforms the average.
  private mutating func correlate(partition: Int) {
    let least = isSearching ? Self.leastShareOfSearch : Self.leastShare
    let share = max(1 / Float(max(1, blocksAveraged)), least)
    let bins = average(partition)
    renew(bins, reference((newest - partition + Self.partitions) % Self.partitions), share)
    fft.inverse(bins, into: output.start)
    (correlation.start + partition * Self.block).update(from: output.start, count: Self.block)
  }

  private func renew(_ average: Spectrum, _ reference: Spectrum, _ share: Float) {
    let (microphone, turn) = (microphone, turn)
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
