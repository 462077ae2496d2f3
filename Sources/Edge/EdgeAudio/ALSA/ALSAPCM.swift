internal import AudioCore
internal import CALSA
internal import Glibc

/// A PCM device of ALSA.
final class ALSAPCM: PCMDevice {
  let format: DeviceFormat
  private let handle: OpaquePointer
  private let isCapture: Bool
  private let coding: PCMCoding
  private let bytes: UnsafeMutableRawBufferPointer  // As large as the device's buffer.
  private let descriptors: UnsafeMutableBufferPointer<pollfd>

  init(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) {
    isCapture = direction == .capture
    var opened: OpaquePointer?
    let code = snd_pcm_open(
      &opened, name, isCapture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK,
      Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let opened else {
      throw DeviceError(opening: name, direction.rawValue, code: code)
    }
    handle = opened
    do throws(DeviceError) {
      let negotiated = try Negotiation(opened, name, direction, wish).settled()
      format = negotiated.format
      coding = negotiated.coding
    } catch {
      snd_pcm_close(opened)
      throw error
    }
    bytes = .allocate(
      byteCount: format.bufferSamples * format.channelCount * coding.bytesPerSample,
      alignment: 16)
    // ALSA's null says that it has filled it, and has not.
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    descriptors = .allocate(capacity: max(0, Int(snd_pcm_poll_descriptors_count(opened))))
    descriptors.initialize(repeating: pollfd())
  }

  deinit {
    let handle = ALSAHandle(pointer: handle)
    ALSASystem.exclusively { _ = snd_pcm_close(handle.pointer) }
    bytes.deallocate()
    descriptors.deallocate()
  }

  func prepare() throws(DeviceIOError) {
    snd_pcm_drop(handle)
    try check(snd_pcm_prepare(handle))
    if isCapture { try check(snd_pcm_start(handle)) }
  }

  func resume() throws(DeviceIOError) -> Bool {
    let code = snd_pcm_resume(handle)
    if code == -EAGAIN { return false }
    // Prepares hardware that cannot resume.
    if code < 0 { try prepare() }
    return true
  }

  /// Waits once. `snd_pcm_wait` waits for ever, and at full speed, for a stream of PulseAudio that wakes it
  /// without samples. An error of the device comes with the next transfer.
  func wait(_ time: Duration) throws(DeviceIOError) {
    let available = snd_pcm_avail_update(handle)
    guard available < snd_pcm_sframes_t(format.periodSamples) else { return }
    if available < 0 { try check(Int32(truncatingIfNeeded: available)) }
    let count = UInt32(descriptors.count)
    guard snd_pcm_poll_descriptors(handle, descriptors.baseAddress, count) == Int32(count) else {
      usleep(UInt32(time / .microseconds(1)))
      return
    }
    _ = poll(descriptors.baseAddress, nfds_t(count), Int32(time / .milliseconds(1)))
    // A plug-in handles its events here.
    var events: UInt16 = 0
    snd_pcm_poll_descriptors_revents(handle, descriptors.baseAddress, count, &events)
  }

  func read(_ samples: UnsafeMutablePointer<Float>, atMost count: Int) throws(DeviceIOError) -> Int
  {
    let wanted = min(count, format.bufferSamples)
    let read = snd_pcm_readi(handle, bytes.baseAddress, snd_pcm_uframes_t(wanted))
    guard read != -Int(EAGAIN), read != -Int(EINTR) else { return 0 }
    try check(Int32(truncatingIfNeeded: read))
    coding.decode(bytes, into: samples, count: read * format.channelCount)
    return read
  }

  func write(_ samples: UnsafePointer<Float>, atMost count: Int) throws(DeviceIOError) -> Int {
    let wanted = min(count, format.bufferSamples)
    coding.encode(samples, into: bytes, count: wanted * format.channelCount)
    let written = snd_pcm_writei(handle, bytes.baseAddress, snd_pcm_uframes_t(wanted))
    guard written != -Int(EAGAIN), written != -Int(EINTR) else { return 0 }
    try check(Int32(truncatingIfNeeded: written))
    return written
  }

  /// Whether the PCM belongs to a plug-in, which provides a device of a sound server.
  var isLent: Bool { snd_pcm_type(handle) == SND_PCM_TYPE_IOPLUG }

  var delay: Int {
    var delay: snd_pcm_sframes_t = 0
    return snd_pcm_delay(handle, &delay) < 0 ? 0 : max(0, delay)
  }

  private func check(_ code: Int32) throws(DeviceIOError) {
    if code < 0 { throw DeviceIOError(code: code) }
  }
}
