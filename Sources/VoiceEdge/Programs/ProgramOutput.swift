internal import Alignment
internal import AudioCore
internal import AudioDevices
internal import AudioFiles
internal import Foundation

/// Where programs of this machine record the processed voice. The voice thread gives it a frame for
/// each of the microphone's; what nobody takes is dropped.
final class ProgramOutput {
  private let ring: FrameRing<CaptureNote>
  private let sink: any ProgramInput.Source

  init(
    _ endpoint: Endpoint, title: String, rate: SampleRate, channelCount: Int, _ devices: EdgeDevices
  ) {
    ring = FrameRing(
      rate: rate, channelCount: channelCount, capacity: 16, note: CaptureNote())
    switch endpoint {
    case .alsa(let name):
      let loop = devices.loop(title, .playback, rate, channelCount, name)
      loop.start(title) { [ring] in
        PlaybackStream(rate: rate, channelCount: channelCount, RingRenderer(ring))
      }
      sink = loop
    case .fifo(let path):
      sink = FIFOWriter(path: path, title: title, from: ring, log: devices.log)
    case .file(let path):
      sink = SoundFileWriter(path: path, title: title, from: ring, log: devices.log)
    }
  }

  /// How the device does; nil where there is none.
  var record: HealthRecord? { (sink as? DeviceLoop)?.record }

  func write(_ frame: borrowing Frame) {
    _ = ring.write(frame, CaptureNote(time: MonotonicClock.now.nanoseconds))
  }

  func stop() { sink.stop() }

  func join() { sink.join() }
}

/// Gives a device what comes through a ring, on the device's clock.
private final class RingRenderer: FrameRenderer {
  private let ring: FrameRing<CaptureNote>
  private let frame: Frame
  private var playout: PlayoutBuffer

  init(_ ring: FrameRing<CaptureNote>) {
    self.ring = ring
    frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
    playout = PlayoutBuffer(rate: ring.rate, channelCount: ring.channelCount)
  }

  func begin() {
    ring.drop(downTo: 0)
    playout.clear()
  }

  func render(into output: borrowing Frame, heardAt: Int64) {
    while let note = ring.read(into: frame) { playout.write(frame, at: note.time) }
    playout.read(into: output, at: MonotonicClock.now.nanoseconds)
  }
}

/// Writes what comes through a ring to a FIFO, for as long as somebody reads there.
final class FIFOWriter: ProgramInput.Source {
  private let thread = LoopThread()

  init(
    path: String, title: String, from ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      let format = AudioFormat(
        encoding: .s16, rate: ring.rate, channelCount: ring.channelCount)
      let frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
      var bytes = [UInt8](
        repeating: 0, count: ring.rate.samplesPerFrame * format.bytesPerSampleFrame)
      while !thread.isStopped {
        guard let pipe = FIFO(path: path, O_WRONLY, title: title, thread: thread, log: log) else {
          return
        }
        // What waited for a reader is old.
        ring.drop(downTo: 0)
        var written = bytes.count
        var hasReader = true
        while !thread.isStopped, hasReader {
          if written == bytes.count {
            guard ring.read(into: frame) != nil else {
              usleep(1000)
              continue
            }
            bytes.withUnsafeMutableBytes {
              SampleCoding.encode(frame, count: frame.sampleCount, format, into: $0)
            }
            written = 0
          }
          let count = bytes.withUnsafeBytes {
            pipe.write(UnsafeRawBufferPointer(rebasing: $0[written...]))
          }
          written += count ?? 0
          hasReader = count != nil
          if count == 0 { usleep(2000) }
        }
      }
    }
  }

  func stop() { thread.stop() }

  func join() { thread.join() }
}

/// Writes what comes through a ring to a WAV file.
final class SoundFileWriter: ProgramInput.Source {
  private let thread = LoopThread()

  init(
    path: String, title: String, from ring: FrameRing<CaptureNote>,
    log: @escaping @Sendable (String) -> Void
  ) {
    thread.start(title) { thread in
      let format = AudioFormat(
        encoding: .s16, rate: ring.rate, channelCount: ring.channelCount)
      let frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
      var bytes = [UInt8](
        repeating: 0, count: ring.rate.samplesPerFrame * format.bytesPerSampleFrame)
      do {
        let file = try AudioFileWriter(path: path, format: format)
        while !thread.isStopped || ring.count > 0 {
          guard ring.read(into: frame) != nil else {
            usleep(5000)
            continue
          }
          bytes.withUnsafeMutableBytes {
            SampleCoding.encode(frame, count: frame.sampleCount, format, into: $0)
          }
          try file.write(bytes)
        }
      } catch {
        log("\(title): \(error)")
      }
    }
  }

  func stop() { thread.stop() }

  func join() { thread.join() }
}
