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
  private let reference: FrameRing<CaptureNote>?
  private let record: HealthRecord
  private let wake: @Sendable () -> Void
  private let frame: Frame
  private var block = Reblocker(rate: .hz48000, [0], of: 1)
  private var converter: FrameConverter?
  private let referenceFrame: Frame
  private var referenceBlock = Reblocker(rate: .hz48000, [0], of: 1)
  /// Nil if no channel of the device is a reference.
  private var referenceConverter: FrameConverter?
  private var filter: TuningFilter
  private var clock = DeviceClock(rate: 48000, largestEarliness: largestEarliness)
  private var lastRead = Duration.zero
  private var buffer = [Float]()

  /// Creates a reader that writes into `ring`, and the channels that carry what the loudspeaker
  /// plays, if the device's map names some, into `reference`.
  init(
    _ ring: FrameRing<CaptureNote>, reference: FrameRing<CaptureNote>? = nil,
    _ record: HealthRecord, tuning: TuningSlot = TuningSlot(),
    wake: @escaping @Sendable () -> Void
  ) {
    self.ring = ring
    self.reference = reference
    self.record = record
    self.wake = wake
    frame = Frame(rate: ring.rate, channelCount: ring.channelCount)
    referenceFrame = Frame(
      rate: ring.rate, channelCount: reference?.channelCount ?? ring.channelCount)
    filter = TuningFilter(tuning, rate: ring.rate, channelCount: ring.channelCount)
  }

  func begin(_ device: any PCMDevice) throws(DeviceIOError) {
    let format = device.format
    block = Reblocker(rate: format.rate, format.channels, of: format.channelCount)
    converter = try? FrameConverter(
      from: format.rate, format.channels.count, to: ring.rate, ring.channelCount)
    beginReference(format)
    clock = DeviceClock(
      rate: Double(format.rate.hertz), largestEarliness: Self.largestEarliness)
    buffer = [Float](repeating: 0, count: format.bufferSamples * format.channelCount)
    lastRead = MonotonicClock.now
  }

  private func beginReference(_ format: DeviceFormat) {
    let channels = format.referenceChannels
    referenceConverter = nil
    guard let reference, !channels.isEmpty else { return }
    referenceBlock = Reblocker(rate: format.rate, channels, of: format.channelCount)
    referenceConverter = try? FrameConverter(
      from: format.rate, channels.count, to: reference.rate, reference.channelCount)
  }

  func run(_ device: any PCMDevice) throws(DeviceIOError) -> Bool {
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
      referenceBlock.clear()
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
  private func read(_ device: any PCMDevice) throws(DeviceIOError) -> Int {
    try buffer.withUnsafeMutableBufferPointer { buffer throws(DeviceIOError) in
      guard let start = buffer.baseAddress else { return 0 }
      return try device.read(start, atMost: device.format.bufferSamples)
    }
  }

  private func emit(_ count: Int) {
    buffer.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      if let reference, referenceConverter != nil {
        referenceBlock.append(start, count: count) { captured, end in
          referenceConverter?.process(captured, into: referenceFrame)
          _ = reference.write(referenceFrame, note(captured, end, of: count))
        }
      }
      block.append(start, count: count) { captured, end in
        converter?.process(captured, into: frame)
        filter.process(frame)
        _ = ring.write(frame, note(captured, end, of: count))
      }
    }
    wake()
  }

  /// Returns the note of a frame that ends with sample `end` of the last `count` samples.
  private func note(_ captured: borrowing Frame, _ end: Int, of count: Int) -> CaptureNote {
    let first = clock.sampleCount - Int64(count) + Int64(end - captured.sampleCount)
    return CaptureNote(time: Int64(clock.time(of: first) * 1e9))
  }
}
