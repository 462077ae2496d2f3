internal import Foundation

extension RegularFile {
  /// A version of a file, which changes when the file is written or replaced. Of a link it is that of its target, as
  /// Kubernetes replaces the target of a link when it rotates a secret.
  public struct Version: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Creates the version of the file as it is now. Nil if there is no file.
    public init?(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
      size = Int64(status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }
}
