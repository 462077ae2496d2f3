internal import CPipe
internal import Foundation
internal import Glibc

/// The path at which libsndfile can read a file at any place. It reads WAV from a pipe as the
/// samples arrive, but not FLAC, Ogg, CAF, W64 or RF64: a pipe with these is copied to an unnamed file
/// in the temporary folder.
struct SeekableSource: ~Copyable {
  /// The maximum size of a copy in bytes.
  private static let mostBytes = 4 << 30
  private static let bytesAtOnce = 65_536
  /// The first bytes of FLAC, of Ogg, of tags before FLAC, of CAF, of W64 and of RF64.
  private static let signatures = ["fLaC", "OggS", "ID3", "caff", "riff", "RF64"].map {
    Data($0.utf8)
  }

  let path: String
  /// Whether the source is a pipe that is read itself.
  private let isPipe: Bool
  /// The unnamed file or the pipe.
  private let file: FileHandle?

  /// Throws if a pipe cannot be copied, or is longer than 4 GiB.
  init(_ path: String) throws(AudioFileError) {
    let pipe = Self.pipe(path)
    guard let pipe, let first = Self.peek(pipe),
      Self.signatures.contains(where: { first.starts(with: $0) })
    else {
      (self.path, file, isPipe) = (path, pipe, pipe != nil)
      return
    }
    let copy = try Self.copy(of: pipe, path)
    self.path = "/proc/self/fd/\(copy.fileDescriptor)"
    (file, isPipe) = (copy, false)
  }

  /// Returns the pipe at a path, or nil for another kind of file. "-" is standard input.
  private static func pipe(_ path: String) -> FileHandle? {
    var status = stat()
    let isPipe = path == "-" ? fstat(0, &status) : stat(path, &status)
    guard isPipe == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    return path == "-" ? .standardInput : FileHandle(forReadingAtPath: path)
  }

  /// The descriptor of a pipe that is read itself. A named pipe cannot be opened again once its writer has
  /// closed it.
  var pipe: Int32? { isPipe ? file?.fileDescriptor : nil }

  /// Whether more can be read from such a pipe. Waits for the writer.
  var hasMore: Bool { file.flatMap(Self.peek)?.isEmpty == false }

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
        path: path, problem: "more than 4 GiB in a pipe, and not WAV; pass a file")
    }
    return copy
  }
}
