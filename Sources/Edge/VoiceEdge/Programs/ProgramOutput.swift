internal import AudioCore
internal import EchoAlignment
internal import EdgeAudio

/// The processed voice for programs on this machine. The voice thread provides one frame for each
/// microphone frame. Frames that nobody takes are dropped.
final class ProgramOutput {
  private let ring: FrameRing<CaptureNote>
  private let sink: any ThreadOwner

  /// Connects to a program. `wake` is called when a program begins to read a FIFO or has ended.
  init(
    _ endpoint: Endpoint, title: String, rate: SampleRate, channelCount: Int,
    _ devices: EdgeDevices,
    wake: @escaping @Sendable () -> Void = {}
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
      sink = FIFOWriter(path: path, title: title, from: ring, wake: wake, log: devices.log)
    case .file(let path):
      sink = SoundFileWriter(path: path, title: title, from: ring, log: devices.log)
    }
  }

  /// Whether a program reads the voice from a FIFO. False for devices and files.
  var isRead: Bool { (sink as? FIFOWriter)?.hasReader ?? false }

  /// The health of the device. Nil if there is no device.
  var record: HealthRecord? { (sink as? DeviceLoop)?.record }

  func write(_ frame: borrowing Frame) {
    _ = ring.write(frame, CaptureNote(time: MonotonicClock.nanoseconds))
  }

  func stop() { sink.stop() }

  func join() { sink.join() }
}

/// A renderer of frames from a ring, on the device's clock.
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
    playout.read(into: output, at: MonotonicClock.nanoseconds)
  }
}
