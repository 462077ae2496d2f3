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
      var told: String?
      while !thread.isStopped {
        guard var pipe = FIFO(path: path, O_RDONLY, title: title, thread: thread, log: log) else {
          return
        }
        Self.read(&pipe, &raw, into: ring, wake: wake, thread) { problem in
          if problem != told { log("\(title): \(path): \(problem)") }
          told = problem
        }
      }
    }
  }

  /// Reads until the thread stops, or until the path leads to another FIFO.
  private static func read(
    _ pipe: inout FIFO, _ raw: inout RawFrame, into ring: FrameRing<CaptureNote>,
    wake: () -> Void, _ thread: LoopThread, tell: (String) -> Void
  ) {
    let width = raw.format.bytesPerSampleFrame
    // Keeps the alignment of samples and channels after the dropped bytes.
    var filled = pipe.staleCount % width
    var sound = FIFOSound(raw.format, isBegun: pipe.staleCount > 0)
    while !thread.isStopped, !pipe.isReplaced() {
      guard ring.count < lead else {
        usleep(2000)
        continue
      }
      switch pipe.waitToRead() {
      case .nothing: continue
      case .data:
        filled = raw.bytes.withUnsafeMutableBytes { bytes in
          let count = pipe.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
          let all = UnsafeMutableRawBufferPointer(rebasing: bytes[..<(filled + count)])
          return sound.keep(all, from: filled)
        }
        if let problem = sound.problem { tell(problem) }
      case .end:
        pipe.beginAnew()
        sound = FIFOSound(raw.format)
        // The rest of the sound is heard now. An incomplete sample would shift all that follow.
        let rest = filled - filled % width
        filled = rest == 0 ? 0 : raw.bytes.count
        for index in rest..<filled { raw.bytes[index] = 0 }
      }
      guard filled == raw.bytes.count else { continue }
      filled = 0
      raw.decode()
      let wasEmpty = ring.count == 0
      _ = ring.write(raw.frame, CaptureNote())
      if wasEmpty { wake() }
    }
  }
}
