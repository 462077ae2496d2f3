internal import AudioCore

/// The loudness of the channels of a microphone, the highest mean square of each in the last
/// seconds. It selects the channels from whose mean the features are computed.
struct ChannelLoudness: ~Copyable {
  /// The part of its loudness that a channel keeps in a frame: it falls by 1 dB a second.
  private static let kept: Float = 0.9977
  /// A channel that is 20 dB softer than the loudest has no microphone, or one that nobody talks
  /// to.
  private static let least: Float = 0.01
  /// Another channel leads where it is 6 dB louder than the leading one.
  private static let lead: Float = 4

  private let values: FloatBuffer
  private var loudest: Float = 0
  /// The channel that is heard where one has to do. It seldom changes.
  private(set) var leading = 0
  /// The share of each channel that counts in the mean of all.
  private(set) var share: Float = 1

  init(channelCount: Int) { values = FloatBuffer(channelCount) }

  /// Records a frame. `power` returns the mean square of a channel. Runs per frame: no allocation,
  /// lock, log or await.
  mutating func record(power: (_ channel: Int) -> Float) {
    loudest = 0
    for channel in 0..<values.count {
      values.start[channel] = max(power(channel), Self.kept * values.start[channel])
      loudest = max(loudest, values.start[channel])
      if values.start[channel] > Self.lead * values.start[leading] { leading = channel }
    }
    var count: Float = 0
    for channel in 0..<values.count where counts(channel) { count += 1 }
    share = 1 / max(1, count)
  }

  /// Whether a channel counts.
  func counts(_ channel: Int) -> Bool { values.start[channel] >= Self.least * loudest }
}
