internal import AudioCore
internal import Glibc

/// Raw samples from a FIFO into a ring. Who writes there is held to the microphone's pace: nothing is
/// lost, and little waits.
final class FIFOReader: ProgramInput.Source {
  /// Frames that may wait in the ring: what a FIFO holds comes before.
  private static let lead = 2

  private let thread = LoopThread()

  init(
    path: String, title: String, into ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      let format = AudioFormat(
        encoding: .s16, rate: ring.rate, channelCount: ring.channelCount)
      let frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
      var bytes = [UInt8](
        repeating: 0, count: ring.rate.samplesPerFrame * format.bytesPerSampleFrame)
      guard let pipe = FIFO(path: path, O_RDWR, title: title, thread: thread, log: log) else {
        return
      }
      var filled = 0
      while !thread.isStopped {
        guard ring.count < Self.lead, pipe.waitToRead() else {
          if ring.count >= Self.lead { usleep(2000) }
          continue
        }
        let count = bytes.withUnsafeMutableBytes {
          pipe.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
        }
        filled += count
        guard filled == bytes.count else { continue }
        filled = 0
        bytes.withUnsafeBytes { bytes in
          for channel in 0..<ring.channelCount {
            _ = SampleCoding.decode(
              bytes, format, channel: channel, into: frame.planePointers[channel],
              count: frame.sampleCount)
          }
        }
        _ = ring.write(frame, CaptureNote())
      }
    }
  }

  func stop() { thread.stop() }

  func join() { thread.join() }
}
