internal import Glibc
internal import LinuxSystem

/// A pipe that wakes a thread from `poll`.
final class LoopWaker: Sendable {
  /// The end that `poll` watches.
  let descriptor: Int32
  private let writer: Int32

  /// Throws if the process has no more descriptors.
  init(for address: String) throws(ListeningError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw ListeningError(systemErrorAt: address) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writer) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writer)
  }

  /// Wakes the thread. A full pipe wakes it too.
  func wake() {
    var byte: UInt8 = 0
    _ = write(writer, &byte, 1)
  }

  /// Forgets the wake-ups so far. For the thread.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
