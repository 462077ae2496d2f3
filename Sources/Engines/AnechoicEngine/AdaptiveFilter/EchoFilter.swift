package import AudioCore
internal import CKernels

/// A linear echo canceller: a partitioned-block frequency-domain Kalman filter (G. Enzner and P.
/// Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free
/// telephones", 2006; F. Kuech et al., "State-space architecture of the partitioned-block-based
/// acoustic echo controller", 2014), in which a network estimates the noise and the changes of the
/// path (`LearnedAdaptation`).
///
/// The output is the error of the last frame and the present one after the filter has adapted to
/// the present one (a posteriori error). Both halves belong to the same filter, so that windows
/// that overlap join without steps.
package struct EchoFilter: ~Copyable {
  /// The number of bins up to 8 kHz, the range of the networks.
  package static let mostLowBins = 161
  /// The ends of all ranges but the last two, in bins: 2.4 and 4.8 kHz. The third ends at 8 kHz.
  private static let bandEnds = [48, 96]
  /// The longest echo in each range, in blocks of 10 ms. Rooms reverberate longest at low
  /// frequencies. Reverberation beyond the end of a filter is not coherent with its estimate. Once
  /// the filter has converged, the networks classify such reverberation as a distant voice.
  private static let lengths = [48, 32, 20, 6]
  static let partitions = lengths[0]
  /// The number of partitions to which the gradient constraint is applied in each frame.
  private static let constrainedPerFrame = 2
  /// The square of the transition factor of the state model: the part of its power that the echo
  /// path keeps in a frame.
  private static let transition: Float = 0.9995 * 0.9995
  private static let smoothing: Float = 0.1
  /// The power of the error in a bin, by that of the microphone, from which on the filter is wrong
  /// there: 9 dB. A path that has changed makes a bin louder by 6 dB at most.
  private static let mostAdded: Float = 8
  /// Added to the power of the echo path, from which the process noise follows. Without it, a
  /// filter that has converged to zero, because there was no echo for a while, would stay there.
  private static let minimumPathPower: Float = 2e-4

  private let kernels: Kernels
  private let sizes: Sizes
  let hop: Int
  /// The power of a bin divided by that of the same sound at 16 kHz.
  private let scale: Float
  private let fft: RealFFT
  private let state: State
  let results: Results
  /// The ranges of bins, from the lowest to the highest.
  var bands: InlineArray<4, FilterBand>
  private var adaptation: LearnedAdaptation
  private var estimateQuality = EstimateCoherence()
  /// The trial of the response with which the filter began. Nil for a filter that began with none.
  var trial: ResponseTrial?
  /// The partition to which the gradient constraint is applied next.
  private var nextConstrained = 0

  /// Creates a filter whose frames have `hop` samples: 10 ms at 8, 16, 32 or 48 kHz.
  ///
  /// - Parameter work: Memory that others may use between frames.
  package init(
    hop: Int, weights: AdaptationWeights, kernels: Kernels = .best,
    work: FloatArena = .forWork()
  ) {
    self.hop = hop
    self.kernels = kernels
    sizes = Sizes(hop: hop)
    let ratio = Float(hop) / 160
    scale = ratio * ratio
    state = State(sizes, partitions: Self.partitions, highPartitions: Self.lengths[3])
    results = Results(sizes, in: work)
    fft = RealFFT(size: 2 * hop, kernels: kernels, work: results.transform)
    let ends = Self.bandEnds.map { [sizes] in min($0, sizes.lowRow) } + [sizes.lowRow, sizes.row]
    bands = InlineArray { [sizes, state] index in
      FilterBand(
        (index == 0 ? 0 : ends[index - 1])..<ends[index], used: sizes.bins,
        partitions: Self.lengths[index], of: state.partitions, kernels: kernels)
    }
    adaptation = LearnedAdaptation(
      bins: sizes.lowBins, weights: weights, kernels: kernels, work: results.decisions)
    reset()
  }

  /// The coherence, 0...1, of the echo estimate and the microphone over the last quarter second of
  /// frames to which the filter adapted.
  package var estimateCoherence: Float { estimateQuality.value }

  /// The part of the echo estimate that is in the microphone, as `EstimateCoherence` tells it.
  var estimatePresence: Float? { estimateQuality.presence }

  /// Resets the filter and its uncertainty.
  package mutating func reset() {
    estimateQuality = EstimateCoherence()
    trial = nil
    state.clear()
    for index in bands.indices { bands[index].reset() }
    adaptation.reset()
    nextConstrained = 0
    let silence = 1e-6 * scale
    state.smoothError.update(repeating: silence, count: sizes.bins)
    state.smoothEcho.update(repeating: silence, count: sizes.lowBins)
    state.smoothMicrophone.update(repeating: silence, count: sizes.lowBins)
  }

  /// Adapts to 10 ms of the microphone, and removes the echo of the reference from them and from
  /// the 10 ms before. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Parameters:
  ///   - learns: Whether the filter adapts to this frame. False for a frame in which a signal is
  ///     incomplete.
  ///   - output: Receives 20 ms.
  package mutating func process(
    microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>, learns: Bool = true,
    into output: UnsafeMutablePointer<Float>
  ) {
    addReference(reference)
    if learns { learn(from: microphone, error: output + hop) }
    subtractEcho(from: state.lastMicrophone, framesAgo: 1, into: output)
    subtractEcho(from: microphone, into: output + hop)
    state.lastMicrophone.update(from: microphone, count: hop)
  }

  /// Shifts the filter after a move of the reference: from the next frame on, the echo follows its
  /// reference by `samples` fewer, or more if negative. No allocation, lock, log or await.
  package mutating func shift(by samples: Int) {
    let samples = shiftTaps(by: samples)
    let nearest = Int((Float(samples) / Float(hop)).rounded())
    for index in bands.indices { bands[index].shiftUncertainty(by: nearest) }
  }

  /// Shifts the filter after a move of the reference, before it adapts to buffered frames again:
  /// the shifted filter is the initial estimate, and its uncertainty is reset. No allocation, lock,
  /// log or await.
  package mutating func shiftAndReset(by samples: Int) {
    _ = shiftTaps(by: samples)
    for index in bands.indices { bands[index].reset() }
    adaptation.reset()
  }

  /// Returns the number of samples by which the taps were shifted, which is not more than they
  /// span.
  private func shiftTaps(by samples: Int) -> Int {
    let longest = Self.partitions * hop
    let samples = min(max(samples, -longest), longest)
    let whole = Int((Float(samples) / Float(hop)).rounded(.down))
    for index in 0..<Self.partitions {
      // In an order in which no partition is overwritten before it is read.
      let partition = whole < 0 ? Self.partitions - 1 - index : index
      joinTaps(of: partition + whole, from: samples - whole * hop)
      storeTaps(of: partition)
    }
    return samples
  }

  /// Puts as many taps as a partition has into the first half of the block: those of a partition
  /// from a tap on, and the first of the next.
  private func joinTaps(of partition: Int, from first: Int) {
    let (block, taps) = (results.block, results.echo.real)
    readTaps(of: partition)
    taps.update(from: block + first, count: hop - first)
    readTaps(of: partition + 1)
    (taps + hop - first).update(from: block, count: first)
    block.update(from: taps, count: hop)
  }

  /// Puts the taps of a partition into the first half of the block: silence if there is no such
  /// partition.
  func readTaps(of partition: Int) {
    let block = results.block
    guard (0..<Self.partitions).contains(partition) else {
      return block.update(repeating: 0, count: hop)
    }
    state.partitions.copy(partition, to: results.error)
    fft.inverse(results.error, into: block)
    let factor = 1 / Float(2 * hop)
    for index in 0..<hop { block[index] *= factor }
  }

  /// Makes the first half of the block the taps of a partition.
  func storeTaps(of partition: Int) {
    (results.block + hop).update(repeating: 0, count: hop)
    fft.forward(results.block, into: results.error)
    state.partitions.replace(partition, by: results.error)
  }

  /// Adapts the filter.
  ///
  /// - Parameter error: Receives the a priori error of the frame.
  private mutating func learn(
    from microphone: UnsafePointer<Float>, error: UnsafeMutablePointer<Float>
  ) {
    let block = results.block
    subtractEcho(from: microphone, into: error)
    // The second half of the block is now the estimated echo.
    block.update(repeating: 0, count: hop)
    transform(into: results.echo)
    (block + hop).update(from: error, count: hop)
    transform(into: results.error)
    measure()
    decide()
    adapt()
    boundTaps()
    constrain()
  }

  /// Transforms the block, and clears the padding of the spectrum.
  private func transform(into spectrum: Spectrum) {
    fft.forward(results.block, into: spectrum)
    spectrum.from(sizes.bins).clear(bins: sizes.row - sizes.bins)
  }

  private mutating func addReference(_ samples: UnsafePointer<Float>) {
    let block = results.block
    block.update(from: state.lastReference, count: hop)
    (block + hop).update(from: samples, count: hop)
    state.lastReference.update(from: samples, count: hop)
    transform(into: results.echo)
    for index in bands.indices { bands[index].accept(reference: results.echo) }
  }

  /// Leaves the estimated echo in the second half of the block.
  private mutating func subtractEcho(
    from microphone: UnsafePointer<Float>, framesAgo: Int = 0,
    into output: UnsafeMutablePointer<Float>
  ) {
    for index in bands.indices {
      bands[index].estimate(framesAgo: framesAgo, into: results.echo)
    }
    fft.inverse(results.echo, into: results.block)
    let factor = 1 / Float(2 * hop)
    let echo = results.block + hop
    for index in 0..<hop {
      echo[index] *= factor
      output[index] = microphone[index] - echo[index]
    }
  }

  /// Measures the frame. Most measurements are features of the adaptation network, and needed up to
  /// 8 kHz only.
  private mutating func measure() {
    let (error, echo) = (results.error, results.echo)
    let (cross, microphone) = (state.cross, results.microphone)
    for bin in 0..<sizes.lowRow {
      microphone.real[bin] = error.real[bin] + echo.real[bin]
      microphone.imaginary[bin] = error.imaginary[bin] + echo.imaginary[bin]
    }
    let low = Int32(sizes.lowRow)
    kernels.table.smooth_cross(error.forC, echo.forC, Self.smoothing, cross.mutableForC, low)
    kernels.table.power(error.forC, results.errorPower, Int32(sizes.row))
    kernels.table.power(echo.forC, results.echoPower, low)
    kernels.table.power(microphone.forC, results.microphonePower, low)
    kernels.table.power(cross.forC, results.crossPower, low)
    measureCoherence()
    Self.smooth(results.errorPower, into: state.smoothError, sizes.row)
    Self.smooth(results.echoPower, into: state.smoothEcho, sizes.lowRow)
    Self.smooth(results.microphonePower, into: state.smoothMicrophone, sizes.lowRow)
    for index in bands.indices {
      bands[index].measure(expected: results.divisor, level: results.level)
    }
    for bin in 0..<sizes.row { results.level[bin] += Self.minimumPathPower }
  }

  /// Measures the coherence of the echo estimate and the microphone, which is the sum of error and
  /// estimate.
  private mutating func measureCoherence() {
    let (error, echo) = (results.error, results.echo)
    var product: Float = 0
    for bin in 0..<sizes.lowRow {
      product += error.real[bin] * echo.real[bin] + error.imaginary[bin] * echo.imaginary[bin]
    }
    func sum(_ powers: UnsafePointer<Float>) -> Float {
      Float(sizes.lowRow) * FloatBuffer.mean(powers, sizes.lowRow)
    }
    let estimated = sum(results.echoPower)
    let heard = sum(results.microphonePower)
    estimateQuality.add(
      product: product + estimated, microphonePower: heard, estimatePower: estimated)
    if trial != nil {
      tryResponse(microphone: heard, estimate: estimated, error: sum(results.errorPower))
    }
  }

  private static func smooth(
    _ powers: UnsafePointer<Float>, into mean: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    for bin in 0..<count { mean[bin] += smoothing * (powers[bin] - mean[bin]) }
  }

  private mutating func decide() {
    adaptation.decide(
      LearnedAdaptation.Findings(
        error: results.errorPower, echo: results.echoPower, microphone: results.microphonePower,
        smoothError: state.smoothError, smoothEcho: state.smoothEcho,
        smoothMicrophone: state.smoothMicrophone, cross: results.crossPower,
        expected: results.divisor),
      scale: scale, noise: results.noise, processNoise: results.processNoise)
    extrapolateDecisions()
    let (divisor, noise, processNoise) = (results.divisor, results.noise, results.processNoise)
    let lost = 1 - Self.transition
    for bin in 0..<sizes.row {
      let error = max(results.errorPower[bin], state.smoothError[bin])
      divisor[bin] = divisor[bin] + error * noise[bin] + 1e-9 * scale
      processNoise[bin] *= lost
    }
  }

  /// Extrapolates the decisions of the network above 8 kHz: the mean of those between 6 and 8 kHz.
  private func extrapolateDecisions() {
    guard sizes.row > sizes.lowRow else { return }
    let bins = (sizes.lowBins - 40)..<sizes.lowBins
    for row in [results.noise, results.processNoise] {
      var sum: Float = 0
      for bin in bins { sum += row[bin] }
      let mean = sum / Float(bins.count)
      for bin in sizes.lowBins..<sizes.row { row[bin] = mean }
    }
  }

  private func adapt() {
    let (divisor, processNoise, level) = (results.divisor, results.processNoise, results.level)
    for index in bands.indices {
      bands[index].adapt(
        error: results.error, divisor: divisor, processNoise: processNoise, level: level,
        transition: Self.transition)
    }
  }

  /// Lowers the taps of each bin up to 8 kHz in which the filter has made the sound much louder for some
  /// frames. Beeps of a machine, each the same as the one before to the sample, say nothing about the bins
  /// beside their tone, whose taps would grow without end.
  private func boundTaps() {
    for bin in 0..<sizes.lowBins {
      let (error, microphone) = (state.smoothError[bin], state.smoothMicrophone[bin])
      guard error > Self.mostAdded * microphone else { continue }
      state.partitions.scale(bin, by: (microphone / error).squareRoot())
    }
  }

  /// Applies the gradient constraint to two partitions in turn: sets the taps behind the end of a
  /// partition to zero.
  private mutating func constrain() {
    for _ in 0..<Self.constrainedPerFrame {
      readTaps(of: nextConstrained)
      storeTaps(of: nextConstrained)
      nextConstrained = (nextConstrained + 1) % Self.partitions
    }
  }
}
