internal import AudioCore

extension EchoFilter {
  /// The sizes of rows of bins.
  struct Sizes {
    let hop: Int
    /// The number of bins, and of those up to 8 kHz.
    let bins: Int
    let lowBins: Int
    /// The numbers of values of rows for these bins, padded.
    let row: Int
    let lowRow: Int

    init(hop: Int) {
      self.hop = hop
      bins = hop + 1
      lowBins = min(bins, EchoFilter.mostLowBins)
      row = Kernels.padded(bins)
      lowRow = Kernels.padded(lowBins)
    }
  }

  /// Values that are kept between frames. Bins above 8 kHz have only the values that the filter
  /// needs there.
  struct State {
    private let memory: FloatArena
    let partitions: PartitionSpectra
    let smoothError: UnsafeMutablePointer<Float>
    let smoothEcho: UnsafeMutablePointer<Float>
    let smoothMicrophone: UnsafeMutablePointer<Float>
    /// The smooth cross-spectrum of error and echo.
    let cross: Spectrum
    let lastReference: UnsafeMutablePointer<Float>
    let lastMicrophone: UnsafeMutablePointer<Float>

    init(_ sizes: Sizes, partitions: Int, highPartitions: Int) {
      let (row, lowRow) = (sizes.row, sizes.lowRow)
      let ofPartitions = PartitionSpectra.valueCount(
        sizes, count: partitions, highCount: highPartitions)
      var memory = FloatArena(
        capacity: ofPartitions + row + 4 * lowRow + 2 * Kernels.padded(sizes.hop))
      self.partitions = PartitionSpectra(
        sizes, count: partitions, highCount: highPartitions, in: &memory)
      smoothError = memory.array(row)
      smoothEcho = memory.array(lowRow)
      smoothMicrophone = memory.array(lowRow)
      cross = memory.spectrum(lowRow)
      lastReference = memory.array(sizes.hop)
      lastMicrophone = memory.array(sizes.hop)
      self.memory = memory
    }

    func clear() { memory.clear() }
  }

  /// Results of one frame.
  struct Results {
    let error: Spectrum
    let errorPower: UnsafeMutablePointer<Float>
    let echoPower: UnsafeMutablePointer<Float>
    let microphonePower: UnsafeMutablePointer<Float>
    let crossPower: UnsafeMutablePointer<Float>
    let level: UnsafeMutablePointer<Float>
    /// The expected power of the error, later that of the innovation, which is the divisor of the
    /// Kalman gain.
    let divisor: UnsafeMutablePointer<Float>

    // For Fourier transforms and measurements.
    let block: UnsafeMutablePointer<Float>
    let transform: UnsafeMutablePointer<Float>
    let echo: Spectrum
    let microphone: Spectrum

    // For decisions, in the same memory.
    let noise: UnsafeMutablePointer<Float>
    let processNoise: UnsafeMutablePointer<Float>
    let decisions: FloatArena

    init(_ sizes: Sizes, in work: FloatArena) {
      let (row, lowRow) = (sizes.row, sizes.lowRow)
      var both = work
      error = both.spectrum(row)
      errorPower = both.array(row)
      echoPower = both.array(lowRow)
      microphonePower = both.array(lowRow)
      crossPower = both.array(lowRow)
      level = both.array(row)
      divisor = both.array(row)
      var measuring = both
      block = measuring.array(2 * sizes.hop)
      transform = measuring.array(4 * sizes.hop)
      echo = measuring.spectrum(row)
      microphone = measuring.spectrum(lowRow)
      var deciding = both
      noise = deciding.array(row)
      processNoise = deciding.array(row)
      decisions = deciding
    }
  }
}
