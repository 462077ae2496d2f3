internal import AudioCore
internal import SpatialAudio

/// The audio that ducking lowers: as it is, or heard from two loudspeakers in front of the listener, as
/// Apple's "Spatialize Stereo" does it.
struct OtherAudio: ~Copyable {
  /// The places of the loudspeakers, 30 degrees to each side, as ITU-R BS.775 has them.
  private static let places = [30, -30].map {
    Placement(azimuth: $0, elevation: 0, distance: 1)
  }
  /// The factor of each loudspeaker, -3 dB, with which both together are as loud as the audio itself.
  private static let gain: Float = 0.708

  private(set) var input: PlaybackInput
  private var stage: BinauralStage
  private var settings: [SourceSetting] = []
  private let lowered: Frame
  private let channels: [SpeakerFeed]

  init(
    _ format: AudioFormat, playback: AudioFormat, isElastic: Bool, _ responses: HeadRelatedSet?,
    _ spatial: SpatialSettings
  ) throws {
    input = try PlaybackInput(format, playback: playback, isElastic: isElastic)
    stage = BinauralStage(responses, playback: playback, sourceCount: Self.places.count)
    lowered = Frame(rate: playback.rate, channelCount: playback.channelCount)
    channels = Self.places.map { _ in SpeakerFeed(playback.rate) }
    apply(spatial)
  }

  var isRendered: Bool { stage.isRendered }

  mutating func apply(_ spatial: SpatialSettings) {
    // Most sessions with other audio are never heard in space.
    if spatial.isEnabled, !spatial.mixesOtherAudio { stage.prepare() }
    settings = Self.places.map {
      SourceSetting(placement: $0, gain: Self.gain, hasReflections: spatial.hasReflections)
    }
  }

  mutating func useHeadResponses(_ responses: HeadRelatedSet) {
    stage.useHeadResponses(responses)
  }

  mutating func append(
    _ samples: InputSamples, firstSample: Int64?
  ) throws(InputError) -> Int64 {
    try input.append(samples, firstSample: firstSample)
  }

  /// Moves on by 10 ms. Runs per frame: no allocation, lock, log or await.
  mutating func advance() { input.advance() }

  /// Adds the last frame to the mix, with a gain along a path. `head` is the pose of a head for which it is
  /// rendered, or nil where it stays as it is, from the sample `change` on if this is new.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func add(
    to mix: borrowing Frame, _ path: Ducker.Path, head: HeadPose?, change: Int
  ) {
    lower(along: path)
    let (channels, settings, count) = (channels, settings, lowered.sampleCount)
    let (planes, last) = (lowered.planePointers, lowered.channelCount - 1)
    stage.add(lowered, to: mix, head: head, change: change) { renderer, head in
      for index in channels.indices {
        channels[index].frame.planePointers[0].update(from: planes[min(index, last)], count: count)
        renderer.accept(channels[index].frame, of: index, settings[index], head: head)
      }
    }
  }

  private func lower(along path: Ducker.Path) {
    let (first, turn) = (Decibels.factor(path.first), Decibels.factor(path.turn))
    let last = Decibels.factor(path.last)
    let sample = Int((path.share * Float(lowered.sampleCount)).rounded())
    lowered.clear()
    lowered.add(input.converted, from: first, to: turn, in: 0..<sample)
    lowered.add(input.converted, from: turn, to: last, in: sample..<lowered.sampleCount)
  }

  /// Keeps only the newest samples until they are played again.
  mutating func rest() { input.rest() }

  /// Drops all samples that wait behind a `share` of the next frame, with a fade of 5 ms.
  mutating func clear(after share: Float) { input.clear(after: share) }
}

/// The sound of one loudspeaker.
private final class SpeakerFeed {
  let frame: Frame

  init(_ rate: SampleRate) { frame = Frame(rate: rate, channelCount: 1) }
}
