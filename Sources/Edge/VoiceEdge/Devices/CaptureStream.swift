internal import AudioCodecs
internal import AudioCore
internal import EdgeAudio
internal import Foundation

/// The metadata of a captured frame.
struct CaptureNote: BitwiseCopyable, Sendable {
  /// The smoothed time of the frame's first sample, in ns of the monotonic clock.
  var time: Int64 = 0
}

/// A reader that turns a device's samples into frames of the session's format. Belongs to the
/// device's thread.
final class CaptureStream: DeviceLoop.User {
  /// The time without a read after which the samples in the device are too old.
  private static let stall = Duration.milliseconds(80)
  /// The time, in seconds, by which samples may precede the moment at which the device can have
  /// captured them. Samples beyond that are old too.
  private static let largestEarliness = 0.04

  /// The maximum amount of samples to drop, in buffers of the device.
  private static let longestFlush = 32

  private let ring: FrameRing<CaptureNote>
  private let record: HealthRecord
  private let wake: @Sendable () -> Void
  private let frame: Frame
  private var block = Reblocker(rate: .hz48000, channelCount: 1)
  private var converter: FrameConverter?
  private var filter: TuningFilter
  private var clock = DeviceClock(rate: 48000, largestEarliness: largestEarliness)
  private var lastRead = Duration.zero
  private var buffer = [Float]()

  init(
    _ ring: FrameRing<CaptureNote>, _ record: HealthRecord, tuning: TuningSlot = TuningSlot(),
    wake: @escaping @Sendable () -> Void
  ) {
    self.ring = ring
    self.record = record
    self.wake = wake
    frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
    filter = TuningFilter(tuning, rate: ring.rate, channelCount: ring.channelCount)
  }

  func begin(_ device: any PCMDevice) throws(DeviceFault) {
    let format = device.format
    block = Reblocker(rate: format.rate, channelCount: format.channelCount)
    converter = try? FrameConverter(
      from: format.rate, min(2, format.channelCount), to: ring.rate, ring.channelCount)
    clock = DeviceClock(
      rate: Double(format.rate.hertz), largestEarliness: Self.largestEarliness)
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
      // A device without a clock always has more samples.
      for _ in 0..<Self.longestFlush {
        let more = try read(device)
        if more == 0 { break }
        backlog += more
      }
      record.recordDropped(backlog / device.format.rate.samplesPerFrame)
      block.clear()
      clock.restart()
      lastRead = MonotonicClock.now
      return true
    }
    lastRead = now
    guard clock.accept(count, now: now.seconds) else {
      usleep(2000)
      return true
    }
    emit(count)
    return true
  }

  /// Reads all available samples. If PulseAudio's daemon dies while a fragment is half read,
  /// libpulse blocks forever.
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
        filter.process(frame)
        // The frames so far contain the first `end` samples of this block.
        let first = clock.sampleCount - Int64(count) + Int64(end - captured.sampleCount)
        let time = clock.time(of: first)
        _ = ring.write(frame, CaptureNote(time: Int64(time * 1e9)))
      }
    }
    wake()
  }
}
