internal import AudioCore
internal import AudioFiles
internal import Foundation
internal import LinuxSystem

/// A writer of frames from a ring to a sound file, from the first frame on. A recording that is there stays: the
/// new one goes to a file beside it.
final class SoundFileWriter: ThreadOwner {
  /// The longest time of sound that is lost if the program is killed.
  private static let interval = Duration.seconds(1)

  let thread = LoopThread()

  init(
    path: String, title: String, from ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      var raw = RawFrame(rate: ring.rate, channelCount: ring.channelCount)
      var recording: AudioFileWriter?
      var (savedCount, savedAt) = (0, MonotonicClock.now)
      do {
        while !thread.isStopped || ring.count > 0 {
          if let recording, recording.sampleCount > savedCount,
            MonotonicClock.now - savedAt > Self.interval
          {
            recording.save()
            (savedCount, savedAt) = (recording.sampleCount, MonotonicClock.now)
          }
          guard ring.read(into: raw.frame) != nil else {
            usleep(5000)
            continue
          }
          raw.encode()
          let file = try recording ?? Self.create(path, raw.format, title, log)
          recording = file
          try file.write(raw.bytes)
        }
      } catch {
        log("\(title): \(error)")
      }
    }
  }

  /// Creates the file, or one with a number if there is a recording already.
  private static func create(
    _ path: String, _ format: AudioFormat, _ title: String, _ log: (String) -> Void
  ) throws(AudioFileError) -> AudioFileWriter {
    let url = URL(fileURLWithPath: path)
    let stem = url.deletingPathExtension().path
    var (free, number) = (path, 1)
    // A device, such as /dev/null, holds no recording.
    while FileIdentity.isRegular(free) {
      number += 1
      free = "\(stem)-\(number).\(url.pathExtension)"
    }
    if number > 1 { log("\(title): \(path) exists; this recording goes to \(free)") }
    return try AudioFileWriter(path: free, format: format)
  }
}
