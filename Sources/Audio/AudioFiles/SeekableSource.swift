internal import CPipe
internal import Foundation
internal import Glibc

/// The path at which libsndfile can read a file at any place. It reads WAV from a pipe as the
/// samples arrive, but neither FLAC nor Ogg: a pipe with these is copied to an unnamed file in the
/// temporary folder.
struct SeekableSource: ~Copyable {
  /// The maximum size of a copy in bytes.
  private static let mostBytes = 4 << 30
  private static let bytesAtOnce = 65_536
  /// The first bytes of FLAC, of Ogg, and of tags before FLAC.
  private static let signatures = ["fLaC", "OggS", "ID3"].map { Data($0.utf8) }

  let path: String
  /// The unnamed file, or a pipe that is read itself: while it is open here, its writer does not
  /// see it closed before libsndfile has opened it.
  private let file: FileHandle?

  /// Throws if a pipe cannot be copied, or is longer than 4 GiB.
  init(_ path: String) throws(AudioFileError) {
    let pipe = Self.pipe(path)
    guard let pipe, let first = Self.peek(pipe),
      Self.signatures.contains(where: { first.starts(with: $0) })
    else {
      (self.path, file) = (path, pipe)
      return
    }
    let copy = try Self.copy(of: pipe, path)
    self.path = "/proc/self/fd/\(copy.fileDescriptor)"
    file = copy
  }

  /// Returns the pipe at a path, or nil for another kind of file. "-" is standard input.
  private static func pipe(_ path: String) -> FileHandle? {
    var status = stat()
    let isPipe = path == "-" ? fstat(0, &status) : stat(path, &status)
    guard isPipe == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    return path == "-" ? .standardInput : FileHandle(forReadingAtPath: path)
  }

  /// Returns the first bytes of a pipe, which stay in it.
  private static func peek(_ pipe: FileHandle) -> Data? {
    let side = Pipe()
    let length = signatures.map(\.count).max() ?? 0
    let target = side.fileHandleForWriting.fileDescriptor
    guard tee(pipe.fileDescriptor, target, length, 0) > 0 else { return nil }
    return side.fileHandleForReading.availableData
  }

  private static func copy(of pipe: FileHandle, _ path: String) throws(AudioFileError) -> FileHandle
  {
    let folder = FileManager.default.temporaryDirectory.path
    var name = Array("\(folder)/anechoic-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      throw AudioFileError(path: path, problem: "cannot be copied to \(folder)")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(name)
    let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var size = 0
    do {
      while let bytes = try pipe.read(upToCount: bytesAtOnce), !bytes.isEmpty {
        size += bytes.count
        guard size <= mostBytes else { break }
        try copy.write(contentsOf: bytes)
      }
    } catch {
      throw AudioFileError(path: path, problem: "cannot be copied to \(folder)")
    }
    guard size <= mostBytes else {
      throw AudioFileError(
        path: path, problem: "more than 4 GiB of FLAC or Ogg in a pipe; pass a file")
    }
    return copy
  }
}
