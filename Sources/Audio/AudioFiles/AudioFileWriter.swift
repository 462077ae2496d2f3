public import AudioCore
internal import CSndFile

/// A writer of audio files. The file's extension selects WAV, FLAC or Ogg Vorbis.
public final class AudioFileWriter {
  public let path: String
  /// The format of the samples that `write` accepts. Floats are stored as floats in WAV and as
  /// 24-bit integers in FLAC.
  public let format: AudioFormat
  /// The number of samples of each channel that were written.
  public private(set) var sampleCount = 0
  private let file: OpaquePointer

  public init(path: String, format: AudioFormat) throws(AudioFileError) {
    self.path = path
    self.format = format
    var info = SF_INFO()
    info.samplerate = Int32(format.rate.hertz)
    info.channels = Int32(format.channelCount)
    info.format = Int32(try Self.coding(path, format.encoding))
    guard let file = sf_open(path, Int32(SFM_WRITE), &info) else {
      throw AudioFileError(path: path, words: sf_strerror(nil))
    }
    self.file = file
    sf_command(file, Int32(SFC_SET_CLIPPING), nil, 1)
  }

  deinit { sf_close(file) }

  /// Appends interleaved samples.
  public func write(_ bytes: [UInt8]) throws(AudioFileError) {
    let count = bytes.count / format.bytesPerSampleFrame
    let written = bytes.withUnsafeBytes { bytes in
      switch format.encoding {
      case .s16:
        sf_writef_short(file, bytes.assumingMemoryBound(to: Int16.self).baseAddress, Int64(count))
      case .f32:
        sf_writef_float(file, bytes.assumingMemoryBound(to: Float.self).baseAddress, Int64(count))
      }
    }
    sampleCount += Int(written)
    guard Int(written) == count else {
      throw AudioFileError(path: path, words: sf_strerror(file))
    }
  }

  private static func coding(
    _ path: String, _ encoding: SampleEncoding
  ) throws(AudioFileError) -> Int {
    let name = path.lowercased()
    let isFloat = encoding == .f32
    if name.hasSuffix(".wav") {
      return SF_FORMAT_WAV | (isFloat ? SF_FORMAT_FLOAT : SF_FORMAT_PCM_16)
    }
    if name.hasSuffix(".flac") {
      return SF_FORMAT_FLAC | (isFloat ? SF_FORMAT_PCM_24 : SF_FORMAT_PCM_16)
    }
    if name.hasSuffix(".ogg") { return SF_FORMAT_OGG | SF_FORMAT_VORBIS }
    throw AudioFileError(path: path, problem: "the file name must end in .wav, .flac or .ogg")
  }
}
