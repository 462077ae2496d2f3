internal import AudioCore
internal import Glibc

/// A reader of raw samples from a FIFO into a ring. The writer is held to the microphone's pace:
/// nothing is lost, and little waits.
final class FIFOReader: ThreadOwner {
  /// The maximum number of frames in the ring. The voice takes as many frames at once as the
  /// microphone delivers: 50 ms from the longest period, and more if a thread was late. The FIFO's
  /// content adds to this.
  static let lead = 8

  let thread = LoopThread()

  /// Starts to read. `wake` is called when the ring is not empty any more.
  init(
    path: String, title: String, into ring: FrameRing<CaptureNote>,
    wake: @escaping @Sendable () -> Void = {}, log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      var raw = RawFrame(rate: ring.rate, channelCount: ring.channelCount)
      guard let pipe = FIFO(path: path, O_RDWR, title: title, thread: thread, log: log) else {
        return
      }
      // Keeps the alignment of samples and channels after the dropped bytes.
      var filled = pipe.staleCount % raw.format.bytesPerSampleFrame
      var lastRead = MonotonicClock.now
      while !thread.isStopped {
        guard ring.count < Self.lead, pipe.waitToRead() else {
          if ring.count >= Self.lead {
            // It is this side that holds the writer.
            lastRead = MonotonicClock.now
            usleep(2000)
          }
          continue
        }
        // An incomplete sample that a writer left behind would shift all that follow.
        if MonotonicClock.now - lastRead > .milliseconds(100) { filled = 0 }
        lastRead = MonotonicClock.now
        let count = raw.bytes.withUnsafeMutableBytes {
          pipe.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
        }
        filled += count
        guard filled == raw.bytes.count else { continue }
        filled = 0
        raw.decode()
        let wasEmpty = ring.count == 0
        _ = ring.write(raw.frame, CaptureNote())
        if wasEmpty { wake() }
      }
    }
  }
}
