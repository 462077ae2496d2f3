public import AudioCore
internal import CSndFile
internal import Foundation
internal import Glibc

/// A reader of audio files in any format that libsndfile supports: WAV, FLAC, Ogg and more.
public final class AudioFileReader {
  public let path: String
  /// The format of the samples that `read` returns: floats if the file has more than 16 bits.
  public let format: AudioFormat
  /// The number of samples of each channel, according to the file's header.
  public let sampleCount: Int
  private let file: OpaquePointer
  /// The number of samples of each channel that were read.
  private var position = 0

  public init(path: String) throws(AudioFileError) {
    self.path = path
    var info = SF_INFO()
    guard var file = sf_open(path, Int32(SFM_READ), &info) else {
      throw Self.openingError(path)
    }
    if info.frames == 0, let unclosed = UnclosedWave.open(path: path, &info) {
      sf_close(file)
      file = unclosed
    }
    do throws(AudioFileError) {
      format = try Self.format(info, path)
      guard info.frames > 0 else {
        throw AudioFileError(path: path, problem: "the file contains no audio")
      }
      let isOgg = Int(info.format) & Int(SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG
      if isOgg ? OggFile.isTruncated(path: path) : Self.isTruncated(file) {
        throw AudioFileError(path: path, problem: "the file is truncated")
      }
    } catch {
      sf_close(file)
      throw error
    }
    self.file = file
    sampleCount = Int(info.frames)
  }

  deinit { sf_close(file) }

  /// Returns the next interleaved samples, at most `count` of each channel. Empty at the end.
  /// Throws if a sample is not a finite number.
  public func read(samples count: Int) throws(AudioFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count * format.bytesPerSampleFrame)
    let read = bytes.withUnsafeMutableBytes { bytes in
      switch format.encoding {
      case .s16:
        sf_readf_short(file, bytes.assumingMemoryBound(to: Int16.self).baseAddress, Int64(count))
      case .f32:
        sf_readf_float(file, bytes.assumingMemoryBound(to: Float.self).baseAddress, Int64(count))
      }
    }
    guard sf_error(file) == 0 else { throw AudioFileError(path: path, words: sf_strerror(file)) }
    bytes.removeLast((count - Int(read)) * format.bytesPerSampleFrame)
    if let index = bytes.withUnsafeBytes({ nonFiniteIndex(in: $0) }) {
      throw AudioFileError(
        path: path, problem: "sample \(position + index) is not a finite number")
    }
    position += Int(read)
    return bytes
  }

  /// Moves back to the first sample.
  public func rewind() throws(AudioFileError) {
    guard sf_seek(file, 0, SEEK_SET) == 0 else {
      throw AudioFileError(path: path, problem: "the file cannot be read a second time")
    }
    position = 0
  }

  /// Returns the index of the first sample frame with a value that is infinite or not a number.
  private func nonFiniteIndex(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard format.encoding == .f32 else { return nil }
    return bytes.bindMemory(to: Float.self).firstIndex { !$0.isFinite }
      .map { $0 / format.channelCount }
  }

  /// Returns the error of the file that libsndfile has just refused to open.
  private static func openingError(_ path: String) -> AudioFileError {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return AudioFileError(path: path, problem: "is a directory")
    }
    if Int(sf_error(nil)) == SF_ERR_UNRECOGNISED_FORMAT {
      return AudioFileError(path: path, problem: "the file is not audio; use WAV, FLAC or Ogg")
    }
    if let rate = refusedSampleRate() { return AudioFileError(path: path, sampleRate: rate) }
    return AudioFileError(path: path, words: sf_strerror(nil))
  }

  /// Returns the sample rate of the file that libsndfile has just refused, if the rate is 0 or above
  /// 2,147,483,647. libsndfile names such a rate only in its log, as a signed number in the summary at the end.
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

  private static func format(_ info: SF_INFO, _ path: String) throws(AudioFileError) -> AudioFormat
  {
    guard let rate = SampleRate(rawValue: Int(info.samplerate)) else {
      throw AudioFileError(path: path, sampleRate: String(info.samplerate))
    }
    guard AudioFormat.channelCounts.contains(Int(info.channels)) else {
      throw AudioFileError(
        path: path, problem: "\(info.channels) channels are not supported; use 1 or 2")
    }
    let coding = Int(info.format) & Int(SF_FORMAT_SUBMASK)
    let sixteenBitsOrLess = [
      SF_FORMAT_PCM_16, SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW,
    ]
    return AudioFormat(
      encoding: sixteenBitsOrLess.contains(coding) ? .s16 : .f32, rate: rate,
      channelCount: Int(info.channels))
  }

  /// Returns whether a WAV file is shorter than its header says. libsndfile reports this only in
  /// its log, as "data : SIZE (should be SIZE)". A writer that could not seek back leaves the
  /// maximum size in the header.
  private static func isTruncated(_ file: OpaquePointer) -> Bool {
    guard let line = log(file).split(separator: "\n").first(where: { $0.hasPrefix("data ") }),
      line.contains("should be")
    else { return false }
    let claimed = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    return claimed > 0 && claimed < 0x7fff_0000
  }
}

/// The framing of an Ogg file, https://www.rfc-editor.org/rfc/rfc3533.
enum OggFile {
  /// The maximum size of a page in bytes.
  private static let longestPage = 65_307
  private static let endOfStream: UInt8 = 4

  /// Returns whether the last page is not marked as the end of the stream.
  static func isTruncated(path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else {
      return false
    }
    try? file.seek(toOffset: end - min(end, UInt64(longestPage)))
    guard let tail = try? file.readToEnd(),
      let page = tail.range(of: Data("OggS".utf8), options: .backwards)
    else { return true }
    // The first byte after "OggS" is the version. The second byte contains the flags.
    let flags = page.upperBound + 1
    return flags >= tail.endIndex || tail[flags] & endOfStream == 0
  }
}
