internal import AudioCore
internal import EchoAlignment
internal import EdgeAudio

/// The audio that programs on this machine play: the far end or other audio. The voice thread takes
/// one frame for each microphone frame.
final class ProgramInput {
  /// The duration of a frame in ns, from its first sample to its arrival.
  private static let frame: Int64 = 10_000_000

  private let ring: FrameRing<CaptureNote>
  /// Nil if programs fill the ring themselves.
  private let source: (any ThreadOwner)?
  private let isClocked: Bool  // Whether a device with a clock of its own provides the audio.
  private var playout: PlayoutBuffer
  private let frame: Frame
  /// Whether `frame` holds sound that `listen` has found.
  private var hasWaiting = false
  /// The time in ns up to which `listen` has heard a program, which is held to the pace of time.
  private var heardUntil: Int64 = 0

  /// Connects to a program. `wake` is called when a FIFO has sound after a pause.
  init(
    _ endpoint: Endpoint, title: String, rate: SampleRate, channelCount: Int,
    _ devices: EdgeDevices,
    wake: @escaping @Sendable () -> Void = {}
  ) {
    ring = FrameRing(
      rate: rate, channelCount: channelCount, capacity: 64, note: CaptureNote())
    frame = Frame(rate: rate, channelCount: channelCount)
    playout = PlayoutBuffer(rate: rate, channelCount: channelCount)
    switch endpoint {
    case .alsa(let name):
      let loop = devices.loop(title, .capture, rate, channelCount, name)
      loop.start(title) { [ring, record = loop.record] in CaptureStream(ring, record, wake: {}) }
      source = loop
      isClocked = true
    case .fifo(let path):
      source = FIFOReader(path: path, title: title, into: ring, wake: wake, log: devices.log)
      isClocked = false
    case .file(let path):
      source = SoundFileReader(path: path, title: title, into: ring, log: devices.log)
      isClocked = false
    }
  }

  /// Takes what a program on the control socket writes to a ring.
  init(_ ring: FrameRing<CaptureNote>) {
    self.ring = ring
    frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
    playout = PlayoutBuffer(rate: ring.rate, channelCount: ring.channelCount)
    source = nil
    isClocked = false
  }

  /// The health of the device. Nil if there is no device.
  var record: HealthRecord? { (source as? DeviceLoop)?.record }

  /// Fills a frame with the next 10 ms, or with silence.
  ///
  /// - Returns: Whether there was sound.
  func next(into output: borrowing Frame) -> Bool {
    guard isClocked else {
      if hasWaiting {
        hasWaiting = false
        output.copy(frame)
        return true
      }
      if ring.read(into: output) != nil { return true }
      output.clear()
      return false
    }
    while let note = ring.read(into: frame) { playout.write(frame, at: note.time + Self.frame) }
    return playout.read(into: output, at: MonotonicClock.nanoseconds)
  }

  /// Whether audio waits.
  var hasAudio: Bool { hasWaiting || ring.count > 0 }

  /// Looks for sound while nobody takes the audio. Drops silence. With `keepsSound`, sound of a
  /// program waits for `next`; otherwise, and from a device, it goes by.
  ///
  /// - Returns: Whether there is sound.
  func listen(keepsSound: Bool) -> Bool {
    if hasWaiting, keepsSound { return true }
    hasWaiting = false
    let now = MonotonicClock.nanoseconds
    heardUntil = max(heardUntil, now - Int64(FIFOReader.lead) * Self.frame)
    var isSounding = false
    while !hasWaiting, isClocked || heardUntil + Self.frame <= now, ring.read(into: frame) != nil {
      heardUntil += Self.frame
      guard frame.peak > ProgramSounds.threshold else { continue }
      isSounding = true
      hasWaiting = keepsSound && !isClocked
    }
    return isSounding
  }

  /// Drops what a device delivers while nobody may take the audio. Programs wait. Runs per frame: no
  /// allocation, lock, log or await.
  func hold() {
    guard isClocked else { return }
    ring.drop(downTo: 0)
    playout.clear()
  }

  func stop() { source?.stop() }

  func join() { source?.join() }
}
