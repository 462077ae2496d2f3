internal import AudioCore
internal import AudioDevices
internal import Foundation
internal import Resampling

/// What gives a loudspeaker, or a program that records, its sound. Called on the device's thread.
protocol FrameRenderer: AnyObject {
  /// The device has been made ready: what has waited until now is old.
  func begin()

  /// Gives the next 10 ms, which will be heard at `heardAt`, in ns of the monotonic clock, smoothed.
  /// Runs per frame: no allocation, lock, log or await.
  func render(into frame: borrowing Frame, heardAt: Int64)
}

/// Writes frames to a device, silence included, for as long as it runs. Belongs to the device's
/// thread.
final class PlaybackStream: DeviceLoop.User {
  /// A device that takes samples by so much sooner than it can play them is none that keeps time.
  private static let largestLead = 0.06
  /// After so long without room for a frame, what waits to be played is too old.
  private static let stall = Duration.milliseconds(80)

  private let renderer: any FrameRenderer
  private let frame: Frame
  private var converter: FrameConverter?
  private var converted = Frame(rate: .hz48000, channelCount: 1)
  private var clock = DelayLockedLoop(rate: 48000)
  private var pending = [Float]()
  private var pendingStart = 0
  private var lastFrame = Duration.zero

  init(rate: SampleRate, channelCount: Int, _ renderer: any FrameRenderer) {
    self.renderer = renderer
    frame = Frame(rate: rate, channelCount: channelCount)
  }

  func begin(_ device: any PCMDevice) throws(DeviceFault) {
    let format = device.format
    converter = try? FrameConverter(
      from: frame.rate, frame.channelCount, to: format.rate, min(2, format.channelCount))
    converted = Frame(rate: format.rate, channelCount: min(2, format.channelCount))
    clock = DelayLockedLoop(rate: Double(format.rate.hertz))
    renderer.begin()
    lastFrame = MonotonicClock.now
    pending = [Float](
      repeating: 0, count: format.rate.samplesPerFrame * format.channelCount)
    pendingStart = pending.count
    // With a full buffer it begins to play, and asks for each period when there is room for it.
    let silence = [Float](repeating: 0, count: format.bufferSamples * format.channelCount)
    var left = format.bufferSamples
    while left > 0 {
      let written = try device.write(silence, atMost: left)
      if written == 0 { break }
      left -= written
    }
  }

  func run(_ device: any PCMDevice) throws(DeviceFault) -> Bool {
    let channels = device.format.channelCount
    if pendingStart == pending.count {
      try device.wait(.milliseconds(20))
      renderNext(device)
    }
    guard pendingStart < pending.count else { return true }
    let written = try pending.withUnsafeBufferPointer { pending throws(DeviceFault) in
      guard let start = pending.baseAddress else { return 0 }
      return try device.write(
        start + pendingStart, atMost: (pending.count - pendingStart) / channels)
    }
    pendingStart += written * channels
    if written == 0 { try device.wait(.milliseconds(20)) }
    return written > 0
  }

  /// What is written next comes after all that waits in the device.
  private func renderNext(_ device: any PCMDevice) {
    let size = device.format.rate.samplesPerFrame
    let time = MonotonicClock.now
    if time - lastFrame > Self.stall {
      renderer.begin()
      clock.restart()
    }
    lastFrame = time
    let now = time.seconds
    let heard = now + Double(device.delay) / Double(device.format.rate.hertz)
    if clock.error(of: size, now: heard) < -Self.largestLead {
      usleep(5000)
      return
    }
    clock.update(samples: size, now: heard)
    renderer.render(into: frame, heardAt: Int64(clock.time(of: clock.sampleCount) * 1e9))
    converter?.process(frame, into: converted)
    for channel in 0..<device.format.channelCount {
      let plane = converted.planePointers[min(channel, converted.channelCount - 1)]
      for index in 0..<size {
        pending[index * device.format.channelCount + channel] = plane[index]
      }
    }
    pendingStart = 0
  }
}
