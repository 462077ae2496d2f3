internal import CSndFile
internal import Foundation

/// A WAV file whose header says that it has no samples, because its writer could not seek back to correct it: a
/// pipe. All bytes after the header are samples.
enum UnclosedWave {
  /// The maximum number of chunks before the samples. No program writes so many.
  private static let mostChunks = 64

  /// Opens the samples of such a file. Returns nil if the file is not one.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - info: What libsndfile found in the header. Gets the number of samples.
  static func open(path: String, _ info: inout SF_INFO) -> OpaquePointer? {
    guard let (first, end) = samples(path) else { return nil }
    var raw = info
    raw.format =
      info.format & Int32(SF_FORMAT_SUBMASK) | Int32(SF_FORMAT_RAW) | Int32(SF_ENDIAN_LITTLE)
    guard let file = sf_open(path, Int32(SFM_READ), &raw) else { return nil }
    var offset = sf_count_t(first)
    let size = Int32(MemoryLayout.size(ofValue: offset))
    guard raw.frames > 0, sf_command(file, Int32(SFC_SET_RAW_START_OFFSET), &offset, size) == 0,
      sf_seek(file, 0, SEEK_SET) == 0
    else {
      sf_close(file)
      return nil
    }
    // libsndfile has counted the header as samples, too.
    info.frames = (sf_count_t(end) - offset) / (sf_count_t(end) / raw.frames)
    return file
  }

  /// Returns where the samples begin and where the file ends, if the header says that there are none.
  private static func samples(_ path: String) -> (first: UInt64, end: UInt64)? {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd(),
      let riff = bytes(of: file, at: 0, count: 12), riff.prefix(4) == Data("RIFF".utf8),
      riff.suffix(4) == Data("WAVE".utf8)
    else { return nil }
    var place: UInt64 = 12
    for _ in 0..<mostChunks {
      guard let chunk = bytes(of: file, at: place, count: 8) else { return nil }
      let size = chunk.suffix(4).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      place += 8
      if chunk.prefix(4) == Data("data".utf8) {
        return size == 0 && end > place ? (place, end) : nil
      }
      place += size + size % 2
    }
    return nil
  }

  private static func bytes(of file: FileHandle, at place: UInt64, count: Int) -> Data? {
    guard (try? file.seek(toOffset: place)) != nil, let data = try? file.read(upToCount: count),
      data.count == count
    else { return nil }
    return data
  }
}
