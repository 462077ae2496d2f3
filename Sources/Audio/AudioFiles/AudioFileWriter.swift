public import AudioCore
internal import CSndFile
internal import Foundation

/// A writer of audio files. The file's extension selects WAV, FLAC or Ogg Vorbis. Standard output, which "-"
/// and "/dev/stdout" name, and other devices and pipes get WAV.
public final class AudioFileWriter {
  public let path: String
  /// The format of the samples that `write` accepts. Floats are stored as floats in WAV and as
  /// 24-bit integers in FLAC.
  public let format: AudioFormat
  /// The number of samples of each channel that were written.
  public private(set) var sampleCount = 0
  /// Nil for a stream.
  private let file: OpaquePointer?
  /// Standard output, a device or a pipe, in which nothing can be corrected later. Nil for a file.
  private let stream: FileHandle?
  /// The bytes of sound above which a WAV has open sizes.
  private let mostCounted: Int

  public convenience init(path: String, format: AudioFormat) throws(AudioFileError) {
    try self.init(path: path, format: format, mostCounted: OpenSizes.most)
  }

  init(path: String, format: AudioFormat, mostCounted: Int) throws(AudioFileError) {
    self.path = path
    self.format = format
    self.mostCounted = mostCounted
    stream = try Self.stream(path)
    guard stream == nil else {
      file = nil
      try print(Self.openHeader(format))
      return
    }
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

  deinit {
    guard let file else { return }
    sf_close(file)
    if hasOpenSizes { OpenSizes.write(to: path) }
  }

  private var hasOpenSizes: Bool {
    path.lowercased().hasSuffix(".wav") && sampleCount * format.bytesPerSampleFrame > mostCounted
  }

  /// Appends interleaved samples.
  public func write(_ bytes: [UInt8]) throws(AudioFileError) {
    let count = bytes.count / format.bytesPerSampleFrame
    guard let file else {
      try print(Data(bytes))
      sampleCount += count
      return
    }
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

  /// Makes what was written readable if the program ends without closing the file. In FLAC and Ogg, libsndfile
  /// cannot do this.
  public func save() {
    guard let file else { return }
    if hasOpenSizes {
      OpenSizes.write(to: path)
    } else {
      sf_command(file, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }
  }

  /// Returns the reason why no sound can be written to a path, or nil if it can, as far as the name
  /// and what is there tell.
  public static func problem(at path: String) -> String? {
    guard !isStream(path) else { return nil }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return "\(path): is a folder"
    }
    do throws(AudioFileError) { _ = try coding(path, .s16) } catch { return error.description }
    return nil
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

  // MARK: Streams

  private static let standardOutput = ["-", "/dev/stdout"]

  /// Returns false for a file, which need not exist, and for a folder.
  private static func isStream(_ path: String) -> Bool {
    if standardOutput.contains(path) { return true }
    var status = stat()
    return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// Opens a stream. Returns nil for a file and for a folder.
  private static func stream(_ path: String) throws(AudioFileError) -> FileHandle? {
    guard isStream(path) else { return nil }
    if standardOutput.contains(path) { return .standardOutput }
    guard let handle = FileHandle(forWritingAtPath: path) else {
      throw AudioFileError(path: path, problem: "cannot be written")
    }
    return handle
  }

  private func print(_ bytes: Data) throws(AudioFileError) {
    do {
      try stream?.write(contentsOf: bytes)
    } catch {
      throw AudioFileError(
        path: stream === FileHandle.standardOutput ? "standard output" : path,
        problem: "cannot be written")
    }
  }

  /// Returns a header of WAV whose sizes are left open: in a pipe, nothing can correct them.
  private static func openHeader(_ format: AudioFormat) -> Data {
    let width = format.bytesPerSampleFrame
    var header = Data("RIFF".utf8)
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { header.append(contentsOf: $0) }
    }
    add(UInt32.max)
    header += Data("WAVEfmt ".utf8)
    add(UInt32(16))
    add(UInt16(format.encoding == .f32 ? 3 : 1))
    add(UInt16(format.channelCount))
    add(UInt32(format.rate.hertz))
    add(UInt32(format.rate.hertz * width))
    add(UInt16(width))
    add(UInt16(width / format.channelCount * 8))
    header += Data("data".utf8)
    add(UInt32.max)
    return header
  }
}
