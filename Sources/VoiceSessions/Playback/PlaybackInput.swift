internal import AudioCore
internal import Resampling

/// One input of the playback mix: takes frames from its timeline and converts them to the format of
/// the playback.
struct PlaybackInput: ~Copyable {
  /// The last frame in the format of the input.
  let frame: Frame
  private let converted: Frame
  private var timeline: InputTimeline
  private var converter: FrameConverter

  init(_ format: AudioFormat, playback: AudioFormat) throws {
    converter = try FrameConverter(
      from: format.rate, format.channelCount, to: playback.rate, playback.channelCount)
    timeline = InputTimeline(format: format, lateness: .takenNext)
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    converted = Frame(rate: playback.rate, channelCount: playback.channelCount)
  }

  /// Whether the last frame is digital silence.
  var isSilent: Bool { frame.peak == 0 }

  /// Appends samples.
  ///
  /// - Returns: How many samples were missing before them.
  mutating func append(
    _ samples: UnsafeRawBufferPointer, firstSample: Int64?
  ) throws(InputFault) -> Int64 {
    try timeline.append(samples, firstSample: firstSample)
  }

  /// Moves on by 10 ms. Missing samples become silence.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func advance() {
    timeline.take(into: frame)
    converter.process(frame, into: converted)
  }

  /// Adds the last frame to the mix with a gain that moves evenly between two factors.
  /// Runs per frame: no allocation, lock, log or await.
  func add(to mix: borrowing Frame, from first: Float = 1, to last: Float = 1) {
    mix.add(converted, from: first, to: last)
  }

  /// Drops all waiting samples, with a fade of 5 ms.
  mutating func clear() { timeline.clear(fadeSamples: frame.sampleCount / 2) }
}
