#if canImport(Glibc)
  internal import Glibc
#endif

/// The generalised cross-correlation with phase transform of two signals at 4 kHz (C. Knapp and
/// G. Carter, "The Generalized Correlation Method for Estimation of Time Delay", 1976), over lags of
/// 0 to 1,024 ms, averaged over blocks of 128 ms.
///
/// The lags are cut into partitions of a block, as in a partitioned-block adaptive filter (J.-S. Soo
/// and K. Pang, "Multidelay Block Frequency Domain Adaptive Filter", 1990): each block of the
/// microphone meets the spectra of the reference's last eight, so that one transform serves both
/// signals of a block. The work of a block is cut into steps for the frames that follow.
struct PhaseCorrelator: ~Copyable {
  /// In samples: 128 ms.
  static let block = 512
  static let partitions = 8
  static let lagCount = block * partitions
  /// Of the work after a block.
  static let stepCount = 1 + partitions / 2

  private static let size = 2 * block
  /// 100 to 1,900 Hz: below is hum, above the low-pass.
  private static let bins = 26...486
  /// Below this mean square, -90 dBFS, a block holds nothing to compare.
  private static let leastPower: Float = 1e-9
  /// The share of a new block in the average, once the average is full.
  private static let leastShare: Float = 1 / 6
  /// A reference with fewer frequencies than these has no place in time: a tone, a hum.
  private static let leastBins = bins.count / 8

  /// The sum of the weights of the microphone's frequencies; a block with less is a pause.
  private static let leastWeight: Float = 20

  /// The correlation by lag, after the last step.
  let correlation = FloatBuffer(lagCount)
  /// How far the lag is known to drift in a block, in samples: the average is turned by it, so that
  /// what was heard a second ago still adds to the same peak.
  var drift = 0.0
  private let fft = ComplexFFT(size: size)
  private let input = FloatBuffer(2 * size)
  private let output = FloatBuffer(2 * size)
  private let microphone = FloatBuffer(2 * block)  // the last block's spectrum
  private let references = FloatBuffer(2 * block * partitions)  // in a ring, real and imaginary
  private let averages = FloatBuffer(2 * block * partitions)
  private let window = FloatBuffer(block)
  private let edge = FloatBuffer(block / 4)
  private let turn = FloatBuffer(2 * block)  // a delay by the drift, as a spectrum
  private var drifted = 0.0  // since the average was last turned
  private var weights = SpectralWeights(bins: bins)
  private var newest = 0  // in the ring of references
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

  /// Whether the last block said something about the lag.
  var isInformed: Bool { hasMicrophone && blocksWithoutReference <= Self.partitions }

  /// Forgets the average, not the signals.
  mutating func forget() {
    averages.clear()
    blocksAveraged = 0
  }

  /// Takes in a block of the microphone and two blocks of the reference, the newer of the same time.
  mutating func begin(
    reference: UnsafeMutablePointer<Float>, microphone block: UnsafeMutablePointer<Float>
  ) {
    let size = Self.size
    let (real, imaginary) = (input.start, input.start + size)
    let referencePower = FloatBuffer.meanSquare(reference, size)
    let microphonePower = FloatBuffer.meanSquare(block, Self.block)
    real.update(from: reference, count: size)
    for index in 0..<edge.count {
      real[index] *= edge.start[index]
      real[size - 1 - index] *= edge.start[index]
    }
    imaginary.update(repeating: 0, count: Self.block)
    for index in 0..<Self.block {
      imaginary[Self.block + index] = block[index] * window.start[index]
    }
    // What is no number is not greater, and not less.
    hasMicrophone = microphonePower > Self.leastPower && microphonePower < .infinity
    hasReference = referencePower > Self.leastPower && referencePower < .infinity
    if !hasReference { real.update(repeating: 0, count: size) }
    if !hasMicrophone { imaginary.update(repeating: 0, count: size) }
    drifted += drift
    newest = (newest + 1) % Self.partitions
    blocksWithoutReference = hasReference ? 0 : blocksWithoutReference + 1
  }

  /// One step of the work, 0..<stepCount, in order. Runs per frame: no allocation, lock, log or await.
  mutating func run(step: Int) {
    if step == 0 { transform() } else if isInformed { correlate(partition: 2 * (step - 1)) }
  }

  /// Both spectra by one transform: of the reference as the real part and the microphone as the
  /// imaginary one.
  private mutating func transform() {
    let (size, block) = (Self.size, Self.block)
    let (real, imaginary) = (output.start, output.start + size)
    fft.transform(input.start, input.start + size, into: real, imaginary)
    let reference = references.start + newest * 2 * block
    for bin in 1..<block {
      let mirror = size - bin
      reference[bin] = (real[bin] + real[mirror]) / 2
      reference[block + bin] = (imaginary[bin] - imaginary[mirror]) / 2
      microphone.start[bin] = (imaginary[bin] + imaginary[mirror]) / 2
      microphone.start[block + bin] = (real[mirror] - real[bin]) / 2
    }
    weights.compare(
      reference, reference + block, microphone.start, microphone.start + block)
    let counting = weights.whitenReference(reference, reference + block)
    if !hasReference || counting < Self.leastBins {
      reference.update(repeating: 0, count: 2 * block)
    }
    guard isInformed else { return }
    let weight = weights.whitenMicrophone(microphone.start, microphone.start + block)
    hasMicrophone = weight >= Self.leastWeight
    guard hasMicrophone else { return }
    blocksAveraged += 1
    makeTurn()
  }

  private mutating func makeTurn() {
    let angle = -2 * Double.pi * drifted / Double(Self.size)
    let (stepReal, stepImaginary) = (cos(angle), sin(angle))
    var (real, imaginary) = (1.0, 0.0)
    for bin in 0..<Self.block {
      turn.start[bin] = Float(real)
      turn.start[Self.block + bin] = Float(imaginary)
      (real, imaginary) = (
        real * stepReal - imaginary * stepImaginary, real * stepImaginary + imaginary * stepReal
      )
    }
    drifted = 0
  }

  /// Brings two partitions up to date: their lags come back by one transform, as its two parts.
  private mutating func correlate(partition: Int) {
    let (size, block) = (Self.size, Self.block)
    let share = max(1 / Float(max(1, blocksAveraged)), Self.leastShare)
    let (real, imaginary) = (input.start, input.start + size)
    average(partition, share)
    average(partition + 1, share)
    let a = averages.start + partition * 2 * block
    let b = a + 2 * block
    input.clear()
    for bin in Self.bins {
      // a + ib, and at the negative frequency the conjugate of a plus i times that of b.
      real[bin] = a[bin] - b[block + bin]
      imaginary[bin] = a[block + bin] + b[bin]
      real[size - bin] = a[bin] + b[block + bin]
      imaginary[size - bin] = b[bin] - a[block + bin]
    }
    fft.transform(imaginary, real, into: output.start + size, output.start)
    let lags = correlation.start + partition * block
    lags.update(from: output.start, count: block)
    (lags + block).update(from: output.start + size, count: block)
  }

  private func average(_ partition: Int, _ share: Float) {
    let block = Self.block
    let slot = (newest - partition + Self.partitions) % Self.partitions
    let xr = references.start + slot * 2 * block
    let xi = xr + block
    let (yr, yi) = (microphone.start, microphone.start + block)
    let ar = averages.start + partition * 2 * block
    let ai = ar + block
    let (tr, ti) = (turn.start, turn.start + block)
    let kept = 1 - share
    for bin in Self.bins {
      let (real, imaginary) = (ar[bin], ai[bin])
      ar[bin] =
        kept * (real * tr[bin] - imaginary * ti[bin])
        + share * (yr[bin] * xr[bin] + yi[bin] * xi[bin])
      ai[bin] =
        kept * (real * ti[bin] + imaginary * tr[bin])
        + share * (yi[bin] * xr[bin] - yr[bin] * xi[bin])
    }
  }
}
