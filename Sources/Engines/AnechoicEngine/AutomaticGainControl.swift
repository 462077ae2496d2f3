internal import AudioCore

/// Automatic gain control that follows the voice, and only the voice.
///
/// The level of the voice is measured where the network detects one. The gain brings it to the
/// target, all channels by the same gain. In pauses the gain goes back to at most 1.5 dB, so that
/// noise is not raised. Residual echo does not count as voice. After a short loud sound, such as a
/// cough, level and gain are those of before. A limiter lowers peaks near full scale; peaks that come
/// too suddenly for it are clipped.
struct AutomaticGainControl {
  /// The distance in dB from the mean power of a voice to its loudest parts. The target refers to
  /// the loudest parts.
  private static let crest: Float = 15
  private static let maximumGain: Float = 45
  private static let minimumGain: Float = -25
  private static let maximumGainInPauses: Float = 1.5
  private static let minimumProbability: Float = 0.5
  /// The parts of a frame's power that may be echo for the frame to be measured, and to count as
  /// voice.
  private static let maximumEchoMeasured: Float = 0.5
  private static let maximumEcho: Float = 0.9
  /// The number of measured frames before the first gain above 0 dB: a call may begin with noise.
  private static let minimumFrames: Float = 20
  /// The maximum rise of the gain for a voice with each measured frame, dB. Noise that has just
  /// started is classified as a voice for about a second.
  private static let rise: Float = 0.2
  /// The number of frames with a voice in a row after which the gain may rise. The first frame of a
  /// beep or a knock may be classified as a voice.
  private static let minimumInRow = 3
  /// The number of frames with voice over which the level is averaged.
  private static let memory: Float = 40
  /// The range of a frame's power, as a factor of the level. Frames outside of it are outliers and
  /// do not count. After `softOutliers` or `loudOutliers` of them in a row, the voice itself has
  /// become softer or louder, and the level follows within some frames.
  private static let softest: Float = 0.02
  private static let loudest: Float = 6
  private static let softOutliers = 25
  private static let loudOutliers = 2
  private static let freshMemory: Float = 5
  /// The measured frames, louder than the voice before, after which a voice is louder for good, and
  /// those no louder than before after which the loud sound was a short one. Each louder one, such as a
  /// stressed syllable, takes some of them back.
  private static let lastingFrames = 150
  private static let framesAsBefore = 15
  private static let framesTakenBack = 4
  /// The weight of louder frames, relative to softer ones, until the memory is full, so that a new
  /// level is not too loud at first.
  private static let newLoudness: Float = 3
  /// The level above which a sample is limited.
  private static let ceiling: Float = 0.95
  /// The number of frames after a voice in which the gain is held.
  private static let hold = 12

  /// The level of the voice and its gain before a loud sound, the measured frames since then that are
  /// louder, and those that are no louder, less those that were taken back.
  private struct Former {
    let power: Float
    let frames: Float
    let voiceGain: Float
    var louderFrames = 0
    var framesAsBefore = 0
  }

  /// The mean power of the voice, and the number of frames that it was measured over.
  private var power: Float = 0
  private var frames: Float = 0
  private var former: Former?
  /// The number of soft outliers in a row, or the negative number of loud ones.
  private var outliers = 0
  private var framesSinceVoice = AutomaticGainControl.hold
  /// The number of frames with a voice in a row.
  private var framesInRow = 0
  /// The gain for a voice, dB, which pauses do not change.
  private var voiceGain = AutomaticGainControl.maximumGainInPauses
  /// The gain at the end of the last frame, a factor.
  private var gain: Float = 1
  private var limit: Float = 1

  /// Applies the gain to a frame in place. `target` is in decibels below full scale; nil lets the
  /// gain return to 1. `echoShare` is the part of the power that was echo before its suppression.
  /// If the share is nil, which means unknown, the frame counts as voice but is not measured. A
  /// frame is not raised above a mean square of `powerLimit`. Runs per frame: no allocation, lock,
  /// log or await.
  mutating func process(
    _ frame: borrowing Frame, probability: Float, echoShare: Float? = 0, powerLimit: Float? = nil,
    target: Int?
  ) {
    let isVoice = probability >= Self.minimumProbability && (echoShare ?? 0) < Self.maximumEcho
    framesSinceVoice = isVoice ? 0 : min(framesSinceVoice + 1, Self.hold)
    framesInRow = isVoice ? min(framesInRow + 1, Self.minimumInRow) : 0
    let isMeasured = isVoice && (echoShare ?? 1) < Self.maximumEchoMeasured
    let mayRise = isMeasured && framesInRow == Self.minimumInRow
    let excess = isMeasured ? measure(Self.loudness(frame)) : 1
    var wanted = target.map { follow($0, excess: excess, mayRise: mayRise) } ?? 1
    if let powerLimit, wanted > 1, case let square = frame.meanSquare, square > 0 {
      wanted = min(wanted, max(1, (powerLimit / square).squareRoot()))
    }
    // Up by 20 dB in 10 ms at most when a voice begins, down by a fifth of the way in 10 ms, or by
    // more than half of it while the voice is much louder than before.
    let fall: Float = excess > 1 ? 0.6 : 0.2
    let next = wanted > gain ? min(wanted, max(gain, 0.1) * 10) : gain + fall * (wanted - gain)
    ramp(frame, from: gain, to: next)
    gain = abs(next - 1) < 1e-4 && wanted == 1 ? 1 : next
    if target != nil || limit < 1 { keepBelowFullScale(frame) }
  }

  /// Returns the mean square of the louder channel. A channel without a voice, as of an audio
  /// interface with one microphone, does not count.
  private static func loudness(_ frame: borrowing Frame) -> Float {
    guard frame.channelCount == 2 else { return frame.meanSquare }
    let left = FloatBuffer.meanSquare(frame.planePointers[0], frame.sampleCount)
    let right = FloatBuffer.meanSquare(frame.planePointers[1], frame.sampleCount)
    return left == right ? frame.meanSquare : max(left, right)
  }

  /// Returns the power of the frame divided by that of the loudest frame that is not an outlier, at
  /// least 1.
  private mutating func measure(_ square: Float) -> Float {
    guard square > 1e-9 else { return 1 }
    guard frames > 0 else {
      (power, frames) = (square, 1)
      return 1
    }
    followFormer(square)
    let (isSoft, isLoud) = (square < power * Self.softest, square > power * Self.loudest)
    if isLoud, former == nil, frames >= Self.minimumFrames {
      former = Former(power: power, frames: frames, voiceGain: voiceGain)
    }
    let excess = isLoud ? square / (power * Self.loudest) : 1
    outliers = isSoft ? max(outliers, 0) + 1 : isLoud ? min(outliers, 0) - 1 : 0
    if outliers >= Self.softOutliers || outliers <= -Self.loudOutliers {
      frames = min(frames, Self.freshMemory)
    } else if isSoft {
      return excess
    }
    frames = min(frames + 1, Self.memory)
    let isNew = frames < Self.memory
    power += (square - power) / frames * (isNew && square > power ? Self.newLoudness : 1)
    return excess
  }

  /// Returns to the level before a loud sound when the voice is no louder than before, or forgets it
  /// when the voice is louder for good.
  private mutating func followFormer(_ square: Float) {
    guard var before = former, square > before.power * Self.softest else { return }
    if square > before.power * Self.loudest {
      before.louderFrames += 1
      before.framesAsBefore = max(0, before.framesAsBefore - Self.framesTakenBack)
    } else {
      before.framesAsBefore += 1
    }
    former = before.louderFrames < Self.lastingFrames ? before : nil
    guard former != nil, before.framesAsBefore >= Self.framesAsBefore else { return }
    (power, frames, voiceGain) = (before.power, before.frames, before.voiceGain)
    (outliers, former) = (0, nil)
  }

  /// Moves the gain for a voice towards the gain that the measured level needs: down at once, up in
  /// small steps. Returns the gain for this frame, as a factor. A single loud frame lowers only the
  /// returned gain.
  private mutating func follow(_ target: Int, excess: Float, mayRise: Bool) -> Float {
    guard frames > 0 else { return 1 }
    let needed = -Float(target) - Self.crest - Decibels.level(meanSquare: power)
    let most = mayRise ? voiceGain + Self.rise : voiceGain
    voiceGain = min(max(min(needed, most), Self.minimumGain), Self.maximumGain)
    var gain = max(min(voiceGain, needed - Decibels.level(meanSquare: excess)), Self.minimumGain)
    if frames < Self.minimumFrames {
      gain = min(gain, 0)
    } else if framesSinceVoice >= Self.hold {
      gain = min(gain, Self.maximumGainInPauses)
    }
    return Decibels.factor(gain)
  }

  private func ramp(_ frame: borrowing Frame, from first: Float, to last: Float) {
    guard first != 1 || last != 1 else { return }
    let step = (last - first) / Float(frame.sampleCount)
    for channel in 0..<frame.channelCount {
      let plane = frame.planePointers[channel]
      for index in 0..<frame.sampleCount { plane[index] *= first + step * Float(index + 1) }
    }
  }

  /// Lowers a frame whose peak is too high, and recovers over 100 ms.
  private mutating func keepBelowFullScale(_ frame: borrowing Frame) {
    let peak = frame.peak
    let needed = peak > Self.ceiling ? Self.ceiling / peak : 1
    let next = min(needed, limit + 0.1 * (1 - limit))
    ramp(frame, from: limit, to: next)
    // A peak may come before the gain is down.
    if needed < limit { clip(frame) }
    limit = needed == 1 && 1 - next < 1e-4 ? 1 : next
  }

  private func clip(_ frame: borrowing Frame) {
    for channel in 0..<frame.channelCount {
      let plane = frame.planePointers[channel]
      for index in 0..<frame.sampleCount { plane[index] = min(max(plane[index], -1), 1) }
    }
  }
}
