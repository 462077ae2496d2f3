public import Foundation

/// A file that appears complete or not at all. It is written beside its place, under a hidden name,
/// and takes its place when it is complete. Until then a file of an earlier run stays.
public final class AtomicFile {
  /// The path of the file until it is complete.
  public let temporaryPath: String
  private let path: String
  /// The file behind the path, if the path is a link.
  private let place: String
  private let handle: FileHandle
  private var isComplete = false

  /// Opens the file, which only its owner may read if it is private. Throws if nothing can be written
  /// at the path.
  public init(_ path: String, isPrivate: Bool = false) throws(CommandError) {
    self.path = path
    place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    var status = stat()
    let exists = stat(place, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      throw CommandError("\(path): this is not a regular file, and cannot be replaced")
    }
    let url = URL(fileURLWithPath: place)
    let hidden = url.deletingLastPathComponent().path + "/.anechoic-XXXXXX"
    var template = Array(hidden.utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw CommandError(systemErrorAt: path) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    temporaryPath = template.withUnsafeBufferPointer { name in
      name.baseAddress.map { String(cString: $0) } ?? hidden
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    // mkstemp gives a file to its owner alone. Others have the rights of the file before, or of a new
    // file.
    guard !isPrivate else { return }
    let mask = umask(0)
    umask(mask)
    fchmod(descriptor, exists ? status.st_mode & 0o777 : 0o666 & ~mask)
  }

  deinit { if !isComplete { unlink(temporaryPath) } }

  public func write(_ text: String) throws(CommandError) { try write(Data(text.utf8)) }

  public func write(_ bytes: Data) throws(CommandError) {
    do { try handle.write(contentsOf: bytes) } catch {
      throw CommandError("\(path): cannot be written")
    }
  }

  /// Gives the file its name.
  public func complete() throws(CommandError) {
    guard rename(temporaryPath, place) == 0 else { throw CommandError(systemErrorAt: path) }
    isComplete = true
  }
}
