internal import AudioCore
internal import CSndFile
internal import Foundation
internal import Glibc

/// A file, or a part of one, that libsndfile reads.
struct SoundFile: ~Copyable {
  /// The highest number of samples of each channel that a header is believed to tell the truth
  /// about: 265 days at 48 kHz.
  private static let mostSamples: Int64 = 1 << 40
  /// The samples of each channel that are read at once to count them.
  private static let countedAtOnce = 16_384

  /// The findings of libsndfile in the header.
  let info: SF_INFO
  private let file: OpaquePointer
  /// The part of the file, which libsndfile reads through this object. Nil for a whole file.
  private let part: FileRange?

  /// Opens a source. An error has `name` as the path of the file.
  init(_ source: borrowing SeekableSource, name: String) throws(AudioFileError) {
    guard let pipe = source.pipe else {
      try self.init(path: source.path, name: name)
      return
    }
    var info = SF_INFO()
    guard var file = sf_open_fd(pipe, Int32(SFM_READ), &info, Int32(SF_FALSE)) else {
      throw Self.openingError(source.path, name)
    }
    if info.frames == 0, source.hasMore, let unclosed = UnclosedWave.open(pipe: pipe, &info) {
      sf_close(file)
      file = unclosed
    }
    self.init(info, file)
  }

  private init(_ info: SF_INFO, _ file: OpaquePointer) {
    (self.info, self.file, part) = (info, file, nil)
  }

  /// Opens a whole file, or a part of one.
  init(path: String, part range: Range<Int64>? = nil, name: String) throws(AudioFileError) {
    var info = SF_INFO()
    let part: FileRange?
    let opened: OpaquePointer?
    if let range {
      part = FileRange(path: path, range)
      opened = part?.open(&info)
    } else {
      part = nil
      opened = sf_open(path, Int32(SFM_READ), &info)
    }
    guard var file = opened else { throw Self.openingError(path, name) }
    if info.frames == 0, range == nil, let unclosed = UnclosedWave.open(path: path, &info) {
      sf_close(file)
      file = unclosed
    }
    self.info = info
    self.file = file
    self.part = part
  }

  deinit { sf_close(file) }

  var isOgg: Bool { container == SF_FORMAT_OGG }
  var isFLAC: Bool { container == SF_FORMAT_FLAC }

  private var container: Int { Int(info.format) & Int(SF_FORMAT_TYPEMASK) }

  /// Returns the format in which the samples are read: floats if the file has more than 16 bits.
  func format(name: String) throws(AudioFileError) -> AudioFormat {
    guard let rate = SampleRate(rawValue: Int(info.samplerate)) else {
      throw AudioFileError(path: name, sampleRate: String(info.samplerate))
    }
    guard AudioFormat.channelCounts.contains(Int(info.channels)) else {
      throw AudioFileError(
        path: name, problem: "\(info.channels) channels are not supported; use 1 or 2")
    }
    let coding = Int(info.format) & Int(SF_FORMAT_SUBMASK)
    let sixteenBitsOrLess = [
      SF_FORMAT_PCM_16, SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW,
    ]
    return AudioFormat(
      encoding: sixteenBitsOrLess.contains(coding) ? .s16 : .f32, rate: rate,
      channelCount: Int(info.channels))
  }

  /// Returns the number of samples of each channel. If the header has no number, or one that no
  /// recording reaches, the samples are read to count them, and the file is at its first sample
  /// again.
  func sampleCount(name: String) throws(AudioFileError) -> Int {
    guard !(0...Self.mostSamples).contains(info.frames) else { return Int(info.frames) }
    guard info.seekable != 0 else {
      throw AudioFileError(
        path: name,
        problem: "the length is not known, and the file cannot be read twice; copy it to a disk"
      )
    }
    var values = [Float](repeating: 0, count: Self.countedAtOnce * Int(info.channels))
    var count = 0
    while true {
      let read = sf_readf_float(file, &values, Int64(Self.countedAtOnce))
      guard read > 0 else { break }
      count += Int(read)
    }
    try checkError(name)
    try rewind(name)
    return count
  }

  /// Fills `bytes` from a place on with interleaved samples.
  ///
  /// - Returns: The number of bytes that were filled: 0 at the end.
  func read(
    into bytes: inout [UInt8], from place: Int, _ format: AudioFormat, name: String
  ) throws(AudioFileError) -> Int {
    let width = format.bytesPerSampleFrame
    let count = Int64((bytes.count - place) / width)
    let read = bytes.withUnsafeMutableBytes { bytes in
      let target = UnsafeMutableRawBufferPointer(rebasing: bytes[place...])
      return switch format.encoding {
      case .s16:
        sf_readf_short(file, target.assumingMemoryBound(to: Int16.self).baseAddress, count)
      case .f32:
        sf_readf_float(file, target.assumingMemoryBound(to: Float.self).baseAddress, count)
      }
    }
    try checkError(name)
    return Int(read) * width
  }

  /// Moves back to the first sample.
  func rewind(_ name: String) throws(AudioFileError) {
    guard sf_seek(file, 0, SEEK_SET) == 0 else {
      throw AudioFileError(path: name, problem: "the file cannot be read a second time")
    }
  }

  private func checkError(_ name: String) throws(AudioFileError) {
    guard sf_error(file) != 0 else { return }
    let error = AudioFileError(path: name, words: sf_strerror(file))
    guard isFLAC else { throw error }
    throw AudioFileError(path: name, problem: "the file is truncated or damaged: \(error.problem)")
  }

  /// Whether a WAV file is shorter than its header says. libsndfile reports this only in its log,
  /// as "data : SIZE (should be SIZE)". A writer that could not seek back leaves the maximum size
  /// in the header.
  var isTruncatedWave: Bool {
    guard
      let line = Self.log(file).split(separator: "\n").first(where: { $0.hasPrefix("data ") }),
      line.contains("should be")
    else { return false }
    let claimed = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    return claimed > 0 && claimed < 0x7fff_0000
  }

  /// Returns the error of the file that libsndfile has just refused to open.
  private static func openingError(_ path: String, _ name: String) -> AudioFileError {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return AudioFileError(path: name, problem: "is a directory")
    }
    if Int(sf_error(nil)) == SF_ERR_UNRECOGNISED_FORMAT {
      return AudioFileError(path: name, problem: "the file is not audio; use WAV, FLAC or Ogg")
    }
    if let rate = refusedSampleRate() { return AudioFileError(path: name, sampleRate: rate) }
    return AudioFileError(path: name, words: sf_strerror(nil))
  }

  /// Returns the sample rate of the file that libsndfile has just refused, if the rate is 0 or
  /// above 2,147,483,647. libsndfile names such a rate only in its log, as a signed number in the
  /// summary at the end.
  private static func refusedSampleRate() -> String? {
    let line = log(nil).split(separator: "\n").last { $0.hasPrefix(" Sample rate :") }
    guard let rate = line?.split(separator: " ").last.flatMap({ Int32($0) }), rate <= 0 else {
      return nil
    }
    return String(UInt32(bitPattern: rate))
  }

  /// Returns the log of a file, or of the last file that could not be opened.
  private static func log(_ file: OpaquePointer?) -> String {
    var log = [CChar](repeating: 0, count: 4096)
    sf_command(file, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
    return log.withUnsafeBufferPointer { log in
      log.baseAddress.map { String(cString: $0) } ?? ""
    }
  }
}
