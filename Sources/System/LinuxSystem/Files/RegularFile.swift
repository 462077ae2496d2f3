internal import Foundation

/// A regular file that is read as a whole, such as a token or a key. A FIFO would wait for a writer, and a device may
/// never end, so both are refused.
public enum RegularFile {
  /// The reason why a file cannot be read or written, as the words that follow its path.
  public struct FileError: Error, Equatable, CustomStringConvertible {
    public let description: String

    /// The text of `errno`.
    static var ofSystem: FileError {
      FileError(description: String(cString: strerror(errno)).lowercased())
    }
  }

  /// The byte-order mark in UTF-8, which some editors write before a text.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the content of a file, without a byte-order mark. Never waits for another program. Follows links.
  ///
  /// Throws if there is no file, if the file is of another kind or cannot be read, and if the file is longer than
  /// `limit` bytes.
  public static func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .ofSystem }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .ofSystem }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      throw FileError(
        description: kind == S_IFDIR ? "is a directory" : "this is not a regular file")
    }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let piece = try piece(of: descriptor)
      if piece.isEmpty {
        return bytes.starts(with: byteOrderMark)
          ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
      }
      bytes += piece
    }
    throw FileError(description: "the file is longer than \(limit >> 10) KiB")
  }

  private static func piece(of descriptor: Int32) throws(FileError) -> ArraySlice<UInt8> {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count >= 0 { return buffer[..<count] }
      guard errno == EINTR else { throw .ofSystem }
    }
  }
}

extension RegularFile {
  /// A version of a file, which changes when the file is written or replaced, and when its owner or its permissions
  /// change, so that it can be read after all. Of a link it is that of its target, as Kubernetes replaces the target
  /// of a link when it rotates a secret.
  public struct Version: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    /// The times of the last changes of the content, and of the content or the attributes.
    private let times: [Int]

    /// Creates the version of the file as it is now. Nil if there is no file.
    public init?(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
      size = Int64(status.st_size)
      times = [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
    }
  }
}
