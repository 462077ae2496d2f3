internal import AudioCodecs
internal import AudioCore
internal import AudioFiles

/// A reader of a sound file into a ring, once, at the microphone's pace.
final class SoundFileReader: ThreadOwner {
  let thread = LoopThread()

  init(
    path: String, title: String, into ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      do {
        try Self.play(path, into: ring, thread)
      } catch {
        log("\(title): \(error)")
      }
    }
  }

  private static func play(
    _ path: String, into ring: FrameRing<CaptureNote>, _ thread: LoopThread
  ) throws {
    let file = try AudioFileReader(path: path)
    let input = Frame(rate: file.format.rate, channelCount: file.format.channelCount)
    let output = Frame(rate: ring.rate, channelCount: ring.channelCount)
    var converter = try FrameConverter(
      from: input.rate, input.channelCount, to: output.rate, output.channelCount)
    while !thread.isStopped {
      let bytes = try file.read(samples: input.sampleCount)
      guard !bytes.isEmpty else { return }
      input.clear()
      bytes.withUnsafeBytes { bytes in
        for channel in 0..<input.channelCount {
          _ = SampleCoding.decode(
            bytes, file.format, channel: channel, into: input.planePointers[channel],
            count: bytes.count / file.format.bytesPerSampleFrame)
        }
      }
      converter.process(input, into: output)
      while !thread.isStopped, !ring.write(output, CaptureNote()) { thread.sleep(.milliseconds(5)) }
    }
  }
}
