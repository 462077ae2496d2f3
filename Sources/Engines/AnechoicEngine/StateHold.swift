internal import AudioCore

/// Limits the drift of the recurrent states during pauses.
///
/// After a second of a quiet room without a far end, the full-band state of the mask network is that
/// with which a call begins: a noise that starts soon after a voice would otherwise pass for that
/// voice for seconds. `VoiceNetwork` keeps its state, so that it finds short words at once.
///
/// The networks are trained on calls of 6 s. After a minute of a quiet room or of noise, they would
/// classify the first second of a voice as noise. From 4 s of a pause on, the full-band states are
/// therefore pulled towards their values at that time.
///
/// A sound that is louder than the pause may be a voice, which the held states would hide for as
/// long as they are held, above all after music: they are free during such a sound.
struct StateHold: ~Copyable {
  /// The number of frames without a voice after which the states are held, and the probability
  /// below which a frame counts as one.
  private static let frames = 400
  private static let leastProbability: Float = 0.1
  /// The part of the distance to the held states that is removed in a frame: half of it in 0.35 s.
  private static let part: Float = 0.02
  /// The power, by the mean of the pause, from which a frame is louder than the pause: 6 dB.
  private static let loud: Float = 4
  /// The frames after a louder one in which the states are free, too.
  private static let framesAfterLoud = 50
  /// The frames of a quiet room after which a call begins anew for the networks, and the mean power of
  /// such a pause, -60 dBFS.
  private static let quietFrames = 100
  private static let quiet: Float = 1e-6
  /// The parts by which the mean of a pause follows a frame, after its first frames, and a louder
  /// one: noise that begins and stays is a part of the pause after 15 s.
  private static let following: Float = 0.01
  private static let followingLoud: Float = 0.0002

  private var framesWithoutVoice = 0
  private var framesSinceLoud = StateHold.framesAfterLoud
  /// The mean power of the pause, in which its louder frames count little.
  private var mean: Float = 0
  private var quietFrames = 0
  private let held = FloatBuffer(MaskNetwork.fullBandStateCount)

  /// Records the probability of a voice in a frame, the power of the frame, and whether the far end
  /// plays, and holds the states in a pause. `quietRoomState` is the state of the full-band GRU of the
  /// mask network with which a call begins. Runs per frame: no allocation, lock, log or await.
  mutating func record(
    _ probability: Float, power: Float, farEndPlays: Bool, quietRoomState: [Float],
    _ maskNetwork: borrowing MaskNetwork
  ) {
    guard probability < Self.leastProbability else {
      (framesWithoutVoice, quietFrames) = (0, 0)
      return
    }
    framesWithoutVoice = min(framesWithoutVoice + 1, Self.frames + 1)
    follow(power)
    let isQuiet = mean < Self.quiet && !farEndPlays
    quietFrames = isQuiet ? min(quietFrames + 1, Self.quietFrames + 1) : 0
    if quietFrames == Self.quietFrames { maskNetwork.setFullBandState(quietRoomState) }
    if framesWithoutVoice == Self.frames { maskNetwork.copyFullBandState(to: held.start) }
    if framesWithoutVoice > Self.frames, framesSinceLoud >= Self.framesAfterLoud {
      maskNetwork.moveFullBandState(toward: held.start, by: Self.part)
    }
  }

  private mutating func follow(_ power: Float) {
    let isHeld = framesWithoutVoice > Self.frames
    if isHeld, power > Self.loud * mean {
      framesSinceLoud = 0
      mean += Self.followingLoud * (power - mean)
    } else {
      framesSinceLoud = min(framesSinceLoud + 1, Self.framesAfterLoud)
      mean += max(Self.following, 1 / Float(framesWithoutVoice)) * (power - mean)
    }
  }
}
