internal import AudioCore
internal import Glibc
internal import Synchronization

/// A writer of frames from a ring to a FIFO, while a program reads it.
final class FIFOWriter: ThreadOwner {
  /// Whether a program reads the FIFO.
  private final class Reader: Sendable {
    let exists = Atomic(false)
  }

  let thread = LoopThread()
  private let reader = Reader()

  /// Starts to write. `wake` is called when a program begins to read, and when it has ended.
  init(
    path: String, title: String, from ring: FrameRing<CaptureNote>,
    wake: @escaping @Sendable () -> Void = {}, log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { [reader] thread in
      while !thread.isStopped {
        guard var pipe = FIFO(path: path, O_WRONLY, title: title, thread: thread, log: log) else {
          return
        }
        // Frames that waited for a reader are old.
        ring.drop(downTo: 0)
        reader.exists.store(true, ordering: .relaxed)
        wake()
        Self.write(ring, to: &pipe, thread) {
          log(
            "\(title): \(path): another program reads it too, and each gets a part of the sound; let one "
              + "read it, and pass the sound on, such as with tee")
        }
        reader.exists.store(false, ordering: .relaxed)
        wake()
      }
    }
  }

  var hasReader: Bool { reader.exists.load(ordering: .relaxed) }

  /// Writes until nobody reads any more, or until the path leads to another FIFO.
  private static func write(
    _ ring: FrameRing<CaptureNote>, to pipe: inout FIFO, _ thread: LoopThread,
    isShared: () -> Void
  ) {
    var raw = RawFrame(rate: ring.rate, channelCount: ring.channelCount)
    var written = raw.bytes.count
    var readers = FIFOReaders()
    while !thread.isStopped, !pipe.isReplaced() {
      if readers.areSeveral(of: pipe) { isShared() }
      if written == raw.bytes.count {
        guard ring.read(into: raw.frame) != nil else {
          usleep(1000)
          continue
        }
        raw.encode()
        written = 0
      }
      let count = raw.bytes.withUnsafeBytes {
        pipe.write(UnsafeRawBufferPointer(rebasing: $0[written...]))
      }
      guard let count else { return }
      written += count
      if count == 0 { usleep(2000) }
    }
  }
}
