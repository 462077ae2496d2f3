internal import CSndFile
internal import Foundation

/// A WAV file whose header says that it has no samples, because its writer could not seek back to correct it: a
/// pipe. All bytes after the header are samples.
enum UnclosedWave {
  /// The maximum number of chunks before the samples. No program writes so many.
  private static let mostChunks = 64
  /// The number of bytes that is believed of a pipe, as of a header with the maximum size.
  private static let bytesOfPipe = Int64(UInt32.max)

  /// Opens the samples of such a file. Returns nil if the file is not one.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - info: The findings of libsndfile in the header. This function adds the number of samples.
  static func open(path: String, _ info: inout SF_INFO) -> OpaquePointer? {
    guard let width = width(of: info), let (first, end) = samples(path) else { return nil }
    var raw = raw(info)
    guard let file = sf_open(path, Int32(SFM_READ), &raw) else { return nil }
    var offset = sf_count_t(first)
    let size = Int32(MemoryLayout.size(ofValue: offset))
    guard sf_command(file, Int32(SFC_SET_RAW_START_OFFSET), &offset, size) == 0,
      sf_seek(file, 0, SEEK_SET) == 0
    else {
      sf_close(file)
      return nil
    }
    info.frames = (sf_count_t(end) - offset) / sf_count_t(width * info.channels)
    return file
  }

  /// Opens the samples of such a file in a pipe whose header has been read. Returns nil if its samples cannot
  /// be read so.
  static func open(pipe: Int32, _ info: inout SF_INFO) -> OpaquePointer? {
    let container = Int(info.format) & Int(SF_FORMAT_TYPEMASK)
    guard [SF_FORMAT_WAV, SF_FORMAT_WAVEX].contains(container), let width = width(of: info)
    else { return nil }
    var raw = raw(info)
    guard let file = sf_open_fd(pipe, Int32(SFM_READ), &raw, Int32(SF_FALSE)) else { return nil }
    info.frames = bytesOfPipe / Int64(width * info.channels)
    return file
  }

  /// Returns the format of the samples alone.
  private static func raw(_ info: SF_INFO) -> SF_INFO {
    var raw = info
    raw.format =
      info.format & Int32(SF_FORMAT_SUBMASK) | Int32(SF_FORMAT_RAW) | Int32(SF_ENDIAN_LITTLE)
    return raw
  }

  /// Returns the bytes of a sample of one channel, or nil for a coding in blocks.
  private static func width(of info: SF_INFO) -> Int32? {
    switch Int(info.format) & Int(SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW: 1
    case SF_FORMAT_PCM_16: 2
    case SF_FORMAT_PCM_24: 3
    case SF_FORMAT_PCM_32, SF_FORMAT_FLOAT: 4
    case SF_FORMAT_DOUBLE: 8
    default: nil
    }
  }

  /// Returns where the samples begin and where the file ends, if the header leaves their size open. A file whose
  /// header has the right size of the whole file has no samples, and other chunks at its end.
  private static func samples(_ path: String) -> (first: UInt64, end: UInt64)? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd(),
      let head = bytes(of: file, at: 0, count: 28), head[8..<12] == Data("WAVE".utf8)
    else { return nil }
    // The format for more than 4 GiB has its sizes in the first chunk.
    let isLarge = head.prefix(4) == Data("RF64".utf8)
    guard isLarge || head.prefix(4) == Data("RIFF".utf8),
      number(isLarge ? head[20..<28] : head[4..<8]) &+ 8 != end
    else { return nil }
    let open = isLarge ? UInt64(UInt32.max) : 0
    var place: UInt64 = 12
    for _ in 0..<mostChunks {
      guard let chunk = bytes(of: file, at: place, count: 8) else { return nil }
      let size = number(chunk[4..<8])
      place += 8
      if chunk.prefix(4) == Data("data".utf8) {
        return size == open && end > place ? (place, end) : nil
      }
      place += size + size % 2
    }
    return nil
  }

  private static func number(_ bytes: Data) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(of file: FileHandle, at place: UInt64, count: Int) -> Data? {
    guard (try? file.seek(toOffset: place)) != nil, let data = try? file.read(upToCount: count),
      data.count == count
    else { return nil }
    return data
  }
}
