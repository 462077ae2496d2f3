internal import AudioCore
internal import Resampling

/// One input that is to be heard: from its timeline, frame by frame, into the playback's format.
final class PlaybackInput {
  var timeline: InputTimeline
  /// The last frame, as it came.
  let frame: Frame
  /// The same in the playback's format.
  let converted: Frame
  private var converter: FrameConverter

  init(_ format: AudioFormat, playback: AudioFormat) throws {
    timeline = InputTimeline(format: format, lateness: .takenNext)
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    converted = Frame(rate: playback.rate, channelCount: playback.channelCount)
    converter = try FrameConverter(
      from: format.rate, format.channelCount, to: playback.rate, playback.channelCount)
  }

  /// Moves on by 10 ms: silence where nothing waits.
  /// Runs per frame: no allocation, lock, log or await.
  func advance() {
    timeline.take(into: frame)
    converter.process(frame, into: converted)
  }

  /// Forgets what waits, with a short fade.
  func clear() { timeline.clear(fadeSamples: frame.sampleCount / 2) }
}
