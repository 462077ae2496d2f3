public import AudioCore

/// A gate that lowers audio without speech: a downward expander with a floor, controlled by voice
/// detection.
///
/// The gate opens within 5 ms, stays open for 300 ms after the last voice, and closes within 100
/// ms.
public struct VoiceGate {
  /// The gain for audio without speech, in decibels.
  public static let floor: Float = -18
  private static let holdFrames = 30
  private static let attack: Float = 0.005
  private static let release: Float = 0.1

  private let closedGain = Decibels.factor(Self.floor)
  private let opening: Float  // The change of the gain for each sample.
  private let closing: Float
  private var gain: Float = 1
  private var framesSinceVoice = 0
  /// Whether the gate closes at all.
  public var isOn: Bool

  public init(rate: SampleRate, isOn: Bool) {
    opening = 1 / (Self.attack * Float(rate.hertz))
    closing = 1 / (Self.release * Float(rate.hertz))
    self.isOn = isOn
  }

  /// Lowers a frame in place. Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ frame: borrowing Frame, hasVoice: Bool) {
    framesSinceVoice = hasVoice ? 0 : framesSinceVoice + 1
    let target: Float = isOn && framesSinceVoice > Self.holdFrames ? closedGain : 1
    guard gain != 1 || target != 1 else { return }
    var reached = gain
    for channel in 0..<frame.channelCount {
      reached = gain
      let plane = frame.plane(channel)
      for index in 0..<plane.count {
        reached = target > reached ? min(target, reached + opening) : max(target, reached - closing)
        plane[index] *= reached
      }
    }
    gain = reached
  }
}
