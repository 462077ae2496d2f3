internal import AudioCodecs
internal import AudioCore
internal import EdgeAudio
internal import Foundation

/// A source of frames for a loudspeaker or for a program that records. Called on the device's
/// thread.
protocol FrameRenderer: AnyObject {
  /// Called when the device has been prepared. Frames that have waited until now are old.
  func begin()

  /// Fills a frame with the next 10 ms. `heardAt` is the smoothed time at which it will be heard,
  /// in ns of the monotonic clock. Runs per frame: no allocation, lock, log or await.
  func render(into frame: borrowing Frame, heardAt: Int64)
}

/// A writer that fills a device with frames, including silence, while the device runs. Belongs to
/// the device's thread.
final class PlaybackStream: DeviceLoop.User {
  /// The time, in seconds, by which a device may take samples before it can have played the earlier
  /// ones. A device beyond that has no clock.
  private static let largestEarliness = 0.06
  /// The time without room for a frame after which the frames that wait are too old.
  private static let stall = Duration.milliseconds(80)

  private let renderer: any FrameRenderer
  private let frame: Frame
  private var converter: FrameConverter?
  private var converted = Frame(rate: .hz48000, channelCount: 1)
  private var clock = DeviceClock(rate: 48000, largestEarliness: largestEarliness)
  private var pending = [Float]()
  private var pendingStart = 0
  private var outputs: [(channel: Int, plane: Int)] = []  // The channels of the device that sound.
  private var lastFrame = Duration.zero

  init(rate: SampleRate, channelCount: Int, _ renderer: any FrameRenderer) {
    self.renderer = renderer
    frame = Frame(rate: rate, channelCount: channelCount)
  }

  func begin(_ device: any PCMDevice) throws(DeviceIOError) {
    let format = device.format
    let channels = format.channels
    converter = try? FrameConverter(
      from: frame.rate, frame.channelCount, to: format.rate, channels.count)
    converted = Frame(rate: format.rate, channelCount: channels.count)
    // Without a map, all channels sound.
    outputs =
      format.mappedChannels.isEmpty
      ? (0..<format.channelCount).map { ($0, min($0, channels.count - 1)) }
      : channels.enumerated().map { ($1, $0) }
    clock = DeviceClock(
      rate: Double(format.rate.hertz), largestEarliness: Self.largestEarliness)
    renderer.begin()
    lastFrame = MonotonicClock.now
    pending = [Float](
      repeating: 0, count: format.rate.samplesPerFrame * format.channelCount)
    pendingStart = pending.count
    // Playback starts with a full buffer. The device then asks for each period when there is room.
    let silence = [Float](repeating: 0, count: format.bufferSamples * format.channelCount)
    var left = format.bufferSamples
    while left > 0 {
      let written = try device.write(silence, atMost: left)
      if written == 0 { break }
      left -= written
    }
  }

  func run(_ device: any PCMDevice) throws(DeviceIOError) -> Bool {
    let channels = device.format.channelCount
    if pendingStart == pending.count {
      try device.wait(.milliseconds(20))
      renderNext(device)
    }
    guard pendingStart < pending.count else { return true }
    let written = try pending.withUnsafeBufferPointer { pending throws(DeviceIOError) in
      guard let start = pending.baseAddress else { return 0 }
      return try device.write(
        start + pendingStart, atMost: (pending.count - pendingStart) / channels)
    }
    pendingStart += written * channels
    if written == 0 { try device.wait(.milliseconds(20)) }
    return written > 0
  }

  /// Renders the frame that follows the samples in the device.
  private func renderNext(_ device: any PCMDevice) {
    let size = device.format.rate.samplesPerFrame
    let time = MonotonicClock.now
    if time - lastFrame > Self.stall {
      renderer.begin()
      clock.restart()
    }
    lastFrame = time
    let heard = time.seconds + Double(device.delay) / Double(device.format.rate.hertz)
    guard clock.accept(size, now: heard) else {
      usleep(5000)
      return
    }
    renderer.render(into: frame, heardAt: Int64(clock.time(of: clock.sampleCount) * 1e9))
    converter?.process(frame, into: converted)
    for (channel, source) in outputs {
      let plane = converted.planePointers[source]
      for index in 0..<size {
        pending[index * device.format.channelCount + channel] = plane[index]
      }
    }
    pendingStart = 0
  }
}
