internal import Glibc

/// The programs that read a FIFO while the agent writes to it, of which there should be one: the
/// kernel gives each byte to one of them. They are counted with inotify.
struct FIFOReaders: ~Copyable {
  /// The time between two looks. A program that opens the FIFO anew may have it open twice for a
  /// moment.
  private static let interval = Duration.seconds(1)

  private var watch: Int32 = -1
  /// The number of readers beside the first one.
  private var others = 0
  private var looked = MonotonicClock.now
  private var isTold = false

  deinit { close(watch) }

  /// Returns true once if programs have opened the FIFO beside the first one, and have it open for a
  /// second or more. Looks each second, and returns false in between.
  mutating func areSeveral(of pipe: borrowing FIFO) -> Bool {
    let now = MonotonicClock.now
    guard !isTold, now - looked >= Self.interval else { return false }
    looked = now
    guard watch >= 0 else {
      // Not before, because the kernel may tell late that the first program has opened the FIFO.
      watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      inotify_add_watch(watch, pipe.openPath, UInt32(IN_OPEN | IN_CLOSE))
      return false
    }
    let before = others
    count()
    isTold = before > 0 && others > 0
    return isTold
  }

  private mutating func count() {
    let size = MemoryLayout<inotify_event>.size
    // An event of a file has no name after it.
    var bytes = [UInt8](repeating: 0, count: 64 * size)
    while true {
      let length = read(watch, &bytes, bytes.count)
      guard length >= size else { return }
      for start in stride(from: 0, to: length, by: size) {
        let event = bytes.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        }
        others += event.mask & UInt32(IN_OPEN) != 0 ? 1 : -1
      }
    }
  }
}
