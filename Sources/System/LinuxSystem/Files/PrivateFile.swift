internal import Foundation

/// A file that only its owner can read.
public enum PrivateFile {
  /// Replaces a file at once. Its mode is 0600 from the beginning.
  public static func replace(
    _ path: String, with bytes: [UInt8]
  ) throws(RegularFile.FileError) {
    let new = "\(path).\(UInt32.random(in: 0 ... .max))"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .ofSystem }
    let isComplete = Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    guard close(descriptor) == 0, isComplete, rename(new, path) == 0 else {
      let problem = RegularFile.FileError.ofSystem
      unlink(new)
      throw problem
    }
  }
}
