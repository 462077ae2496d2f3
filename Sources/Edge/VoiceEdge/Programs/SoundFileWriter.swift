internal import AudioCore
internal import AudioFiles
internal import Glibc

/// A writer of frames from a ring to a WAV file.
final class SoundFileWriter: ThreadOwner {
  let thread = LoopThread()

  init(
    path: String, title: String, from ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      var raw = RawFrame(rate: ring.rate, channelCount: ring.channelCount)
      do {
        let file = try AudioFileWriter(path: path, format: raw.format)
        while !thread.isStopped || ring.count > 0 {
          guard ring.read(into: raw.frame) != nil else {
            usleep(5000)
            continue
          }
          raw.encode()
          try file.write(raw.bytes)
        }
      } catch {
        log("\(title): \(error)")
      }
    }
  }
}
