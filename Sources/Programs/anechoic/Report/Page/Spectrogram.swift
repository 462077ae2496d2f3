package import AudioCore
#if canImport(Glibc)
  internal import Glibc
#endif

/// The levels of a sound over time and frequency.
///
/// A column is the mean power of the spectra of its frames. A spectrum has 32 ms of sound under a
/// Hann window and ends with a frame of 10 ms. A sine at full scale has 0 dBFS. The memory depends
/// on the size of the picture, not on the length of the sound.
package struct Spectrogram: ~Copyable {
  package static let mostColumns = 1600
  package static let mostRows = 256
  /// The window in samples is the smallest multiple of this that has 32 ms.
  private static let sizeUnit = 32
  /// The level of silence, in dBFS.
  private static let silence: Float = -160

  package let columnCount: Int
  package let rowCount: Int
  /// The number of frames in all columns.
  private let frameCount: Int
  private let channelCount: Int
  private let fft: RealFFT
  private let window: [Float]
  /// The last samples of each channel, one channel after the other.
  private let history: FloatBuffer
  private let windowed: FloatBuffer
  private let bins: FloatBuffer
  /// The bins of each row, the lowest first.
  private let rows: [Range<Int>]
  /// The sums of the power, column after column.
  private var powers: [Float]
  private var framesOfColumn: [Int]
  private var next = 0

  /// Creates the spectrogram of a sound with `frameCount` frames, up to the frequency `topHertz`.
  package init(frameCount: Int, rate: SampleRate, channelCount: Int, topHertz: Int) {
    let samples = rate.samplesPerFrame * 16 / 5
    let size = (samples + Self.sizeUnit - 1) / Self.sizeUnit * Self.sizeUnit
    self.frameCount = max(1, frameCount)
    self.channelCount = channelCount
    columnCount = min(Self.mostColumns, self.frameCount)
    fft = RealFFT(size: size, kernels: .best)
    window = (0..<size).map { index in
      0.5 - 0.5 * Float(cos(2 * Double.pi * (Double(index) + 0.5) / Double(size)))
    }
    history = FloatBuffer(size * channelCount)
    windowed = FloatBuffer(size)
    bins = FloatBuffer(2 * Spectrum.binCount(size))
    let topBin = Double(topHertz) * Double(size) / Double(rate.hertz)
    let rowCount = min(Self.mostRows, max(1, Int(topBin)))
    self.rowCount = rowCount
    rows = (0..<rowCount).map { row in
      let first = Int(Double(row) * topBin / Double(rowCount))
      let end = max(first + 1, Int(Double(row + 1) * topBin / Double(rowCount)))
      let limit = Spectrum.binCount(size)
      return min(first, limit)..<min(end, limit)
    }
    powers = [Float](repeating: 0, count: columnCount * rowCount)
    framesOfColumn = [Int](repeating: 0, count: columnCount)
  }

  /// Adds the next frame. Frames beyond the announced number are left out.
  package mutating func append(_ frame: borrowing Frame) {
    guard next < frameCount else { return }
    let column = next * columnCount / frameCount
    next += 1
    framesOfColumn[column] += 1
    for channel in 0..<channelCount { append(frame, channel, to: column) }
  }

  private mutating func append(_ frame: borrowing Frame, _ channel: Int, to column: Int) {
    let (size, hop) = (fft.size, frame.sampleCount)
    let samples = history.start + channel * size
    samples.update(from: samples + hop, count: size - hop)
    let plane = frame.plane(channel)
    for index in 0..<hop { samples[size - hop + index] = plane[index] }
    for index in 0..<size { windowed.start[index] = samples[index] * window[index] }
    let spectrum = Spectrum(at: bins.start, samples: size)
    fft.forward(windowed.start, into: spectrum)
    // The bin of a sine has half of its amplitude, and the window halves it again.
    let scale = Float(4) / Float(size)
    for (row, range) in rows.enumerated() where !range.isEmpty {
      var power: Float = 0
      for bin in range {
        let (real, imaginary) = (spectrum.real[bin] * scale, spectrum.imaginary[bin] * scale)
        power += real * real + imaginary * imaginary
      }
      powers[column * rowCount + row] += power / Float(range.count * channelCount)
    }
  }

  /// The levels so far.
  package var levels: LevelGrid {
    var levels: [Float] = []
    levels.reserveCapacity(powers.count)
    for column in 0..<columnCount {
      let scale = 1 / Float(max(1, framesOfColumn[column]))
      for row in 0..<rowCount {
        let power = powers[column * rowCount + row] * scale
        levels.append(max(Self.silence, 10 * log10f(max(power, 1e-20))))
      }
    }
    return LevelGrid(columnCount: columnCount, rowCount: rowCount, levels: levels)
  }
}
