internal import AudioCore
internal import AudioDevices
internal import Foundation
internal import Resampling

/// What is known of a captured frame.
struct CaptureNote: BitwiseCopyable, Sendable {
  /// When its first sample was captured, in ns of the monotonic clock, smoothed.
  var time: Int64 = 0
}

/// Reads a device into frames of the session's format. Belongs to the device's thread.
final class CaptureStream: DeviceLoop.User {
  /// After so long without a look at the device, what waits in it is too old.
  private static let stall = Duration.milliseconds(80)
  /// Samples that come by so much sooner than the device can have captured them are old, too.
  private static let largestLead = 0.04

  /// In buffers of the device.
  private static let longestFlush = 32

  private let ring: FrameRing<CaptureNote>
  private let record: HealthRecord
  private let wake: @Sendable () -> Void
  private let frame: Frame
  private var block = Reblocker(rate: .hz48000, channelCount: 1)
  private var converter: FrameConverter?
  private var clock = DelayLockedLoop(rate: 48000)
  private var lastRead = Duration.zero
  private var buffer = [Float]()

  init(_ ring: FrameRing<CaptureNote>, _ record: HealthRecord, wake: @escaping @Sendable () -> Void)
  {
    self.ring = ring
    self.record = record
    self.wake = wake
    frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
  }

  func begin(_ device: any PCMDevice) throws(DeviceFault) {
    let format = device.format
    block = Reblocker(rate: format.rate, channelCount: format.channelCount)
    converter = try? FrameConverter(
      from: format.rate, min(2, format.channelCount), to: ring.rate, ring.channelCount)
    clock = DelayLockedLoop(rate: Double(format.rate.hertz))
    buffer = [Float](repeating: 0, count: format.bufferSamples * format.channelCount)
    lastRead = MonotonicClock.now
  }

  func run(_ device: any PCMDevice) throws(DeviceFault) -> Bool {
    try device.wait(.milliseconds(20))
    let now = MonotonicClock.now
    let count = try read(device)
    guard count > 0 else { return false }
    if now - lastRead > Self.stall {
      var backlog = count
      // A device that keeps no time has always more.
      for _ in 0..<Self.longestFlush {
        let more = try read(device)
        if more == 0 { break }
        backlog += more
      }
      record.noteDropped(backlog / device.format.rate.samplesPerFrame)
      block.clear()
      clock.restart()
      lastRead = MonotonicClock.now
      return true
    }
    lastRead = now
    if clock.error(of: count, now: now.seconds) < -Self.largestLead {
      usleep(2000)
      return true
    }
    clock.update(samples: count, now: now.seconds)
    emit(count)
    return true
  }

  /// All that is there: a fragment of PulseAudio's that is left half read when the daemon dies would
  /// have libpulse wait for ever.
  private func read(_ device: any PCMDevice) throws(DeviceFault) -> Int {
    try buffer.withUnsafeMutableBufferPointer { buffer throws(DeviceFault) in
      guard let start = buffer.baseAddress else { return 0 }
      return try device.read(start, atMost: device.format.bufferSamples)
    }
  }

  private func emit(_ count: Int) {
    buffer.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      block.append(start, count: count) { captured, end in
        converter?.process(captured, into: frame)
        // `end` samples of this block are in the frames so far.
        let first = clock.sampleCount - Int64(count) + Int64(end - captured.sampleCount)
        let time = clock.time(of: first)
        _ = ring.write(frame, CaptureNote(time: Int64(time * 1e9)))
      }
    }
    wake()
  }
}
