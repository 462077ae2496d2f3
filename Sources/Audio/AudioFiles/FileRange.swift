internal import CSndFile
internal import Glibc

/// A part of a file that libsndfile reads as a file of its own.
final class FileRange {
  private let descriptor: Int32
  private let range: Range<Int64>
  /// The place of the next byte, from the start of the range.
  private var place: Int64 = 0

  /// Returns nil if the file cannot be opened.
  init?(path: String, _ range: Range<Int64>) {
    descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.range = range
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Opens the range with libsndfile. This object must live until the returned file is closed.
  func open(_ info: inout SF_INFO) -> OpaquePointer? {
    var calls = SF_VIRTUAL_IO(
      get_filelen: { FileRange.of($0).length },
      seek: { FileRange.of($2).seek($0, $1) },
      read: { FileRange.of($2).read($0, $1) },
      write: nil,
      tell: { FileRange.of($0).place })
    return sf_open_virtual(
      &calls, Int32(SFM_READ), &info, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> FileRange {
    guard let pointer else {
      preconditionFailure("libsndfile passes the pointer of sf_open_virtual")
    }
    return Unmanaged<FileRange>.fromOpaque(pointer).takeUnretainedValue()
  }

  private var length: Int64 { Int64(range.count) }

  private func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
    let start = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? place : length
    let (sum, isBeyond) = start.addingReportingOverflow(offset)
    if !isBeyond { place = min(max(0, sum), length) }
    return place
  }

  private func read(_ target: UnsafeMutableRawPointer?, _ count: Int64) -> Int64 {
    let part = min(count, length - place)
    guard let target, part > 0 else { return 0 }
    let read = pread(descriptor, target, Int(part), off_t(range.lowerBound + place))
    place += Int64(max(0, read))
    return Int64(max(0, read))
  }
}
