internal import AudioCore

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
