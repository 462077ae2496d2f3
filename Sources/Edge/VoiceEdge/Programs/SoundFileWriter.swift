internal import AudioCore
internal import AudioFiles
internal import EdgeAudio
internal import Foundation
internal import LinuxSystem

/// A writer of frames from a ring to a sound file, from the first frame on. A recording that is there stays: the
/// new one goes to a file beside it. After an error, such as a full disk, the recording goes on in another file.
final class SoundFileWriter: ThreadOwner {
  let thread = LoopThread()

  init(
    path: String, title: String, from ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      var recording = Recording(path: path, title: title, of: ring, log)
      var backoff = Backoff(from: .seconds(1), to: .seconds(60))
      while !thread.isStopped || ring.count > 0 {
        do throws(AudioFileError) {
          if try !recording.writeFrame(from: ring) { usleep(5000) }
          if recording.isSaved { backoff.reset() }
        } catch {
          recording.fail(error)
          thread.sleep(backoff.next())
          // There is no place for what was said meanwhile.
          ring.drop(downTo: 0)
        }
      }
    }
  }
}

/// The files of a recording, of which one is open.
private struct Recording: ~Copyable {
  /// The longest time of sound that is lost if the program is killed.
  private static let interval = Duration.seconds(1)

  private let path: String
  private let title: String
  private let log: (String) -> Void
  private var raw: RawFrame
  private var file: AudioFileWriter?
  private var saved = (count: 0, time: MonotonicClock.now)
  /// The file of which the log has told that it stands in for that of the configuration.
  private var toldFile: String?
  private var toldProblem: String?

  init(
    path: String, title: String, of ring: FrameRing<CaptureNote>, _ log: @escaping (String) -> Void
  ) {
    (self.path, self.title, self.log) = (path, title, log)
    raw = RawFrame(rate: ring.rate, channelCount: ring.channelCount)
  }

  /// Writes a frame. Returns false if there is none.
  mutating func writeFrame(from ring: FrameRing<CaptureNote>) throws(AudioFileError) -> Bool {
    save()
    guard ring.read(into: raw.frame) != nil else { return false }
    raw.encode()
    if file == nil {
      file = try create()
      saved = (0, MonotonicClock.now)
    }
    try file?.write(raw.bytes)
    return true
  }

  /// Whether a second of the open file can be read, even if the program is killed.
  var isSaved: Bool { saved.count > 0 }

  /// Closes the file. The next frame goes to another one.
  mutating func fail(_ error: AudioFileError) {
    let problem = error.description
    if problem != toldProblem { log("\(title): \(problem); trying again") }
    toldProblem = problem
    guard let last = file.take() else { return }
    saved.count = 0
    if last.sampleCount == 0 { Self.remove(last.path) }
  }

  private mutating func save() {
    guard let file, file.sampleCount > saved.count,
      MonotonicClock.now - saved.time > Self.interval
    else { return }
    file.save()
    saved = (file.sampleCount, MonotonicClock.now)
    toldProblem = nil
  }

  /// Creates the file, or one with a number if there is a recording already.
  private mutating func create() throws(AudioFileError) -> AudioFileWriter {
    let url = URL(fileURLWithPath: path)
    let stem = url.deletingPathExtension().path
    var (free, number) = (path, 1)
    // A device, such as /dev/null, holds no recording.
    while FileIdentity.isRegular(free) {
      number += 1
      free = "\(stem)-\(number).\(url.pathExtension)"
    }
    if number > 1, free != toldFile {
      log("\(title): \(path) exists; this recording goes to \(free)")
      toldFile = free
    }
    do {
      return try AudioFileWriter(path: free, format: raw.format)
    } catch {
      Self.remove(free)
      throw error
    }
  }

  /// Removes a file without sound, which a full disk has left.
  private static func remove(_ path: String) {
    if FileIdentity.isRegular(path) { unlink(path) }
  }
}
