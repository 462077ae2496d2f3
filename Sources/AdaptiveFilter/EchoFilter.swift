internal import CKernels
internal import Inference
package import Spectral

/// A linear echo canceller: a partitioned-block frequency-domain Kalman filter (G. Enzner and P.
/// Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free
/// telephones", 2006; F. Kuech et al., "State-space architecture of the partitioned-block-based
/// acoustic echo controller", 2014), in which a network estimates the noise and the changes of the
/// path (`LearnedAdaptation`).
///
/// The output is the error of the last frame and the present one after the filter has learned from
/// the present one. Both halves belong to the same filter, so that windows that overlap join without
/// steps.
package struct EchoFilter: ~Copyable {
  /// The longest echo, in blocks of 10 ms. Above 8 kHz echoes are shorter.
  private static let partitions = 20
  private static let highPartitions = 6
  /// The number of partitions that are made causal in each frame.
  private static let constrained = 2
  private static let forgetting: Float = 0.9995
  private static let smoothing: Float = 0.1

  private let kernels: Kernels
  private let hop: Int
  /// The number of bins up to 8 kHz.
  private let lowBins: Int
  /// The number of values of a row, and of its part up to 8 kHz, both padded.
  private let count: Int
  private let lowCount: Int
  /// The power of a bin divided by that of the same sound at 16 kHz.
  private let scale: Float
  private let fft: RealFFT
  private let memory: FloatBuffer
  private let rows: Rows
  private var adaptation: LearnedAdaptation
  /// The spectra of the filter's partitions, and of the reference that each filters.
  private let filters: [ck_complex]
  private var played: [ck_complex]
  private var newest = 0
  private var turn = 0

  /// The memory of the filter, in rows of the same length.
  private struct Rows {
    let start: UnsafeMutablePointer<Float>
    let count: Int

    /// The reference has one spectrum more than the filter: the last frame's oldest.
    static let references = partitions + 1
    private static let frame = 2 * references + 3 * partitions
    static let number = frame + 22

    private func row(_ index: Int) -> UnsafeMutablePointer<Float> { start + index * count }

    private func spectrum(_ index: Int) -> Spectrum {
      Spectrum(real: row(index), imaginary: row(index + 1))
    }

    func reference(_ index: Int) -> Spectrum { spectrum(2 * index) }
    func filter(_ index: Int) -> Spectrum { spectrum(2 * Self.references + 3 * index) }
    func uncertainty(_ index: Int) -> UnsafeMutablePointer<Float> {
      row(2 * Self.references + 3 * index + 2)
    }

    private func frameRow(_ index: Int) -> UnsafeMutablePointer<Float> { row(Self.frame + index) }
    private func frameSpectrum(_ index: Int) -> Spectrum { spectrum(Self.frame + index) }

    // State, kept between frames.
    var cross: Spectrum { frameSpectrum(0) }
    var smoothError: UnsafeMutablePointer<Float> { frameRow(2) }
    var smoothEcho: UnsafeMutablePointer<Float> { frameRow(3) }
    var smoothMicrophone: UnsafeMutablePointer<Float> { frameRow(4) }
    // Results of one frame.
    var estimate: Spectrum { frameSpectrum(5) }
    var error: Spectrum { frameSpectrum(7) }
    var echo: Spectrum { frameSpectrum(9) }
    var errorPower: UnsafeMutablePointer<Float> { frameRow(11) }
    var echoPower: UnsafeMutablePointer<Float> { frameRow(12) }
    var microphonePower: UnsafeMutablePointer<Float> { frameRow(13) }
    var crossPower: UnsafeMutablePointer<Float> { frameRow(14) }
    var expected: UnsafeMutablePointer<Float> { frameRow(15) }
    var noise: UnsafeMutablePointer<Float> { frameRow(16) }
    var growth: UnsafeMutablePointer<Float> { frameRow(17) }
    var divisor: UnsafeMutablePointer<Float> { frameRow(18) }
    var level: UnsafeMutablePointer<Float> { frameRow(19) }
    var microphone: Spectrum { frameSpectrum(20) }
  }

  /// Creates a filter whose frames have `hop` samples: 10 ms at 8, 16, 32 or 48 kHz.
  package init(hop: Int, weights: AdaptationWeights, kernels: Kernels = .best) {
    self.hop = hop
    self.kernels = kernels
    lowBins = min(hop + 1, LearnedAdaptation.mostBins)
    lowCount = Kernels.padded(lowBins)
    count = Kernels.padded(hop + 1)
    let ratio = Float(hop) / 160
    scale = ratio * ratio
    fft = RealFFT(size: 2 * hop, kernels: kernels)
    // A block of samples follows the rows, then the last block of the reference and that of the
    // microphone.
    memory = FloatBuffer(Rows.number * count + 4 * hop)
    rows = Rows(start: memory.start, count: count)
    filters = (0..<Self.partitions).map { [rows] in rows.filter($0).forC }
    played = filters
    adaptation = LearnedAdaptation(bins: lowBins, weights: weights, kernels: kernels)
    reset()
  }

  /// Forgets the echo path.
  package mutating func reset() {
    memory.clear()
    adaptation.reset()
    for partition in 0..<Self.partitions {
      let start = Self.firstUncertainty(partition)
      for bin in 0...hop { rows.uncertainty(partition)[bin] = start }
    }
    for row in [rows.smoothError, rows.smoothEcho, rows.smoothMicrophone] {
      for bin in 0...hop { row[bin] = 1e-6 * scale }
    }
  }

  /// Later parts of an echo are softer: by 1 dB in 20 ms.
  private static func firstUncertainty(_ partition: Int) -> Float {
    var start: Float = 1
    for _ in 0..<partition { start *= 0.886_920_4 }
    return start
  }

  private var block: UnsafeMutablePointer<Float> { memory.start + Rows.number * count }
  private var lastReference: UnsafeMutablePointer<Float> { block + 2 * hop }
  private var lastMicrophone: UnsafeMutablePointer<Float> { block + 3 * hop }

  /// Returns the number of bins in use in a partition.
  private func used(_ partition: Int) -> Int32 {
    Int32(partition < Self.highPartitions ? count : lowCount)
  }

  /// The spectrum of the reference that a partition filters, in an earlier frame.
  private func reference(of partition: Int, framesAgo: Int = 0) -> Spectrum {
    rows.reference((newest + partition + framesAgo) % Rows.references)
  }

  /// Learns from 10 ms of the microphone, and removes the echo of the reference from them and from
  /// the 10 ms before. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Parameter output: Receives 20 ms.
  package mutating func process(
    microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    addReference(reference)
    subtractEcho(from: microphone, into: output + hop)
    // The second half of the block is now the estimated echo.
    block.update(repeating: 0, count: hop)
    fft.forward(block, into: rows.echo)
    (block + hop).update(from: output + hop, count: hop)
    fft.forward(block, into: rows.error)
    measure()
    decide()
    adapt()
    makeCausal()
    subtractEcho(from: lastMicrophone, framesAgo: 1, into: output)
    subtractEcho(from: microphone, into: output + hop)
    lastMicrophone.update(from: microphone, count: hop)
  }

  private mutating func addReference(_ samples: UnsafePointer<Float>) {
    newest = (newest + Rows.references - 1) % Rows.references
    block.update(from: lastReference, count: hop)
    (block + hop).update(from: samples, count: hop)
    lastReference.update(from: samples, count: hop)
    fft.forward(block, into: reference(of: 0))
  }

  /// Leaves the estimated echo in the second half of the block.
  private mutating func subtractEcho(
    from microphone: UnsafePointer<Float>, framesAgo: Int = 0,
    into output: UnsafeMutablePointer<Float>
  ) {
    for partition in 0..<Self.partitions {
      played[partition] = reference(of: partition, framesAgo: framesAgo).forC
    }
    estimate(partitions: Self.partitions, bins: 0..<lowCount)
    estimate(partitions: Self.highPartitions, bins: lowCount..<count)
    fft.inverse(rows.estimate, into: block)
    let factor = 1 / Float(2 * hop)
    let echo = block + hop
    for index in 0..<hop {
      echo[index] *= factor
      output[index] = microphone[index] - echo[index]
    }
  }

  private func estimate(partitions: Int, bins: Range<Int>) {
    kernels.table.sum_of_products(
      played, filters, Int32(partitions), rows.estimate.mutableForC, Int32(bins.lowerBound),
      Int32(bins.count))
  }

  private func measure() {
    let (error, echo) = (rows.error, rows.echo)
    let (cross, microphone) = (rows.cross, rows.microphone)
    let rate = Self.smoothing
    for bin in 0..<count {
      let (a, b) = (error.real[bin], error.imaginary[bin])
      let (c, d) = (echo.real[bin], echo.imaginary[bin])
      microphone.real[bin] = a + c
      microphone.imaginary[bin] = b + d
      cross.real[bin] += rate * (a * c + b * d - cross.real[bin])
      cross.imaginary[bin] += rate * (b * c - a * d - cross.imaginary[bin])
    }
    let all = Int32(count)
    kernels.table.power(error.forC, rows.errorPower, all)
    kernels.table.power(echo.forC, rows.echoPower, all)
    kernels.table.power(microphone.forC, rows.microphonePower, all)
    kernels.table.power(cross.forC, rows.crossPower, all)
    for bin in 0..<count {
      rows.smoothError[bin] += rate * (rows.errorPower[bin] - rows.smoothError[bin])
      rows.smoothEcho[bin] += rate * (rows.echoPower[bin] - rows.smoothEcho[bin])
      rows.smoothMicrophone[bin] +=
        rate * (rows.microphonePower[bin] - rows.smoothMicrophone[bin])
    }
    rows.expected.update(repeating: 0, count: count)
    rows.level.update(repeating: 0, count: count)
    for partition in 0..<Self.partitions {
      kernels.table.weigh_power(
        reference(of: partition).forC, rows.uncertainty(partition), rows.expected, used(partition))
      kernels.table.add_power(rows.filter(partition).forC, rows.level, used(partition))
    }
  }

  private mutating func decide() {
    let kept = Self.forgetting * Self.forgetting
    for bin in 0..<count {
      rows.expected[bin] *= 0.5
      let partitions = bin < lowCount ? Self.partitions : Self.highPartitions
      rows.level[bin] *= 0.1 / Float(partitions)
    }
    adaptation.decide(
      LearnedAdaptation.Findings(
        error: rows.errorPower, echo: rows.echoPower, microphone: rows.microphonePower,
        smoothError: rows.smoothError, smoothEcho: rows.smoothEcho,
        smoothMicrophone: rows.smoothMicrophone, cross: rows.crossPower, expected: rows.expected),
      scale: scale, noise: rows.noise, growth: rows.growth)
    decideAboveTheNetwork()
    for bin in 0..<count {
      let error = max(rows.errorPower[bin], rows.smoothError[bin])
      rows.divisor[bin] = rows.expected[bin] + error * rows.noise[bin] + 1e-9 * scale
      rows.growth[bin] *= 1 - kept
    }
  }

  /// Bins above 8 kHz follow the mean of those between 6 and 8 kHz.
  private func decideAboveTheNetwork() {
    guard count > lowCount else { return }
    let bins = (lowBins - 40)..<lowBins
    for row in [rows.noise, rows.growth] {
      var sum: Float = 0
      for bin in bins { sum += row[bin] }
      let mean = sum / Float(bins.count)
      for bin in lowBins..<count { row[bin] = mean }
    }
  }

  private func adapt() {
    for partition in 0..<Self.partitions {
      kernels.table.adapt(
        ck_partition(
          filter: rows.filter(partition).mutableForC, uncertainty: rows.uncertainty(partition),
          reference: reference(of: partition).forC),
        rows.error.forC, rows.divisor, rows.growth, rows.level, Self.forgetting * Self.forgetting,
        used(partition))
    }
  }

  /// Removes what the adaptation has put after the end of a partition, of two partitions in turn.
  private mutating func makeCausal() {
    let factor = 1 / Float(2 * hop)
    for _ in 0..<Self.constrained {
      let filter = rows.filter(turn)
      fft.inverse(filter, into: block)
      for index in 0..<hop { block[index] *= factor }
      (block + hop).update(repeating: 0, count: hop)
      fft.forward(block, into: filter)
      turn = (turn + 1) % Self.partitions
    }
  }
}
