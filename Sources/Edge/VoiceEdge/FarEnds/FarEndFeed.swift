internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import GRPCTransport

/// The sound of a program on its way to a ring of frames: one channel, at the rate of the ring.
final class FarEndFeed {
  private let format: AudioFormat
  private let ring: FrameRing<CaptureNote>
  private let wake: @Sendable () -> Void
  private let resampler: StreamResampler
  private let frame: Frame
  /// The samples that wait for room, at most a second and a frame.
  private var waiting: [Float] = []
  private var next = 0
  /// The number of sample frames that were added.
  private(set) var taken: Int64 = 0

  init(
    _ format: AudioFormat, _ ring: FrameRing<CaptureNote>, wake: @escaping @Sendable () -> Void
  ) throws(Status) {
    (self.format, self.ring, self.wake) = (format, ring, wake)
    do { resampler = try StreamResampler(from: format.rate.hertz, to: ring.rate) } catch {
      throw Status(.internal, "the far end cannot be converted: \(error.message)")
    }
    frame = Frame(rate: ring.rate, channelCount: 1)
  }

  func add(_ samples: Data) throws(Status) {
    let size = format.bytesPerSampleFrame
    let count = samples.count / size
    guard samples.count % size == 0, count <= format.rate.hertz else {
      throw Status(
        .invalidArgument, "samples: must be whole sample frames of \(size) bytes, up to 1 s")
    }
    var mean = [Float](repeating: 0, count: count)
    var plane = mean
    for channel in 0..<format.channelCount {
      let fault = samples.withUnsafeBytes { bytes in
        plane.withUnsafeMutableBufferPointer { plane in
          plane.baseAddress.flatMap {
            SampleCoding.decode(bytes, format, channel: channel, into: $0, count: count)
          }
        }
      }
      if let fault {
        throw Status(.invalidArgument, "samples: sample frame \(fault) is not a finite number")
      }
      for index in mean.indices { mean[index] += plane[index] / Float(format.channelCount) }
    }
    taken += Int64(count)
    waiting += resampler.process(mean, isLast: false)
  }

  /// Adds what the conversion still holds, and fills the last frame with silence.
  func finish() {
    waiting += resampler.process([], isLast: true)
    let rest = (waiting.count - next) % frame.sampleCount
    if rest > 0 { waiting += [Float](repeating: 0, count: frame.sampleCount - rest) }
  }

  /// Passes on the whole frames for which there is room. Returns whether none is left.
  func flush() -> Bool {
    while waiting.count - next >= frame.sampleCount {
      guard ring.count < FIFOReader.lead else { return false }
      for index in 0..<frame.sampleCount { frame.plane(0)[index] = waiting[next + index] }
      next += frame.sampleCount
      let wasEmpty = ring.count == 0
      _ = ring.write(frame, CaptureNote())
      if wasEmpty { wake() }
    }
    waiting.removeFirst(next)
    next = 0
    return true
  }
}
