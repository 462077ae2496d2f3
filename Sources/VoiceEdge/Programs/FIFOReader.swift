internal import AudioCore
internal import Glibc

/// Raw samples from a FIFO into a ring. Who writes there is held to the microphone's pace: nothing is
/// lost, and little waits.
final class FIFOReader: ThreadOwner {
  /// Frames that may wait in the ring: what a FIFO holds comes before.
  private static let lead = 2

  let thread = LoopThread()

  init(
    path: String, title: String, into ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      var raw = RawFrame(rate: ring.rate, channelCount: ring.channelCount)
      guard let pipe = FIFO(path: path, O_RDWR, title: title, thread: thread, log: log) else {
        return
      }
      // Whole samples follow what was dropped, and in their channels.
      var filled = pipe.staleCount % raw.format.bytesPerSampleFrame
      var lastRead = MonotonicClock.now
      while !thread.isStopped {
        guard ring.count < Self.lead, pipe.waitToRead() else {
          if ring.count >= Self.lead { usleep(2000) }
          continue
        }
        // Half a sample that a writer left behind would shift all that follow.
        if MonotonicClock.now - lastRead > .milliseconds(100) { filled = 0 }
        lastRead = MonotonicClock.now
        let count = raw.bytes.withUnsafeMutableBytes {
          pipe.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
        }
        filled += count
        guard filled == raw.bytes.count else { continue }
        filled = 0
        raw.decode()
        _ = ring.write(raw.frame, CaptureNote())
      }
    }
  }
}
