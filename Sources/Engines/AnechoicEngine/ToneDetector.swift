internal import AudioCore

/// A detector of steady tones: DTMF, dial and ring-back tones, beeps.
///
/// The samples of one to three tones follow exactly from the six before them, also with the
/// coefficients of the frame before. The samples of a voice do not for long. The samples of low
/// noise, as of wind, follow from their neighbors, too, but not from samples that are 1 ms apart.
/// The detector works at 8 kHz.
struct ToneDetector: ~Copyable {
  private static let count = LinearPrediction.count
  /// The distance of the samples from which those of noise do not follow.
  private static let farSpacing = 8
  private static let past = LinearPrediction.past(spacing: farSpacing)
  /// A frame is a tone if its own coefficients leave less than this part of its power: -25 dB.
  private static let maximumResidual: Float = 0.003
  /// The part of its power that samples 1 ms apart may leave of a tone: -20 dB.
  private static let maximumFarResidual: Float = 0.01
  /// The mean square of the differences of a tone's samples by that of the samples: that of 150 Hz.
  /// Noise below this frequency follows from any samples.
  private static let minimumDifference: Float = 0.0139
  /// A tone continues if the coefficients of the frame before leave less than -20 dB and its level
  /// changes by less than 0.5 dB, or if they leave less than -30 dB: two tones may beat.
  private static let maximumPredictedResidual: Float = 0.01
  private static let lowPredictedResidual: Float = 0.001
  private static let maximumChange: Float = 1.122
  /// The number of frames after which a tone that continues is no voice.
  private static let steadyFrames = 3
  /// The number of frames after which a tone is held beyond its end. A sung or level vowel seldom
  /// lasts as long.
  private static let framesToHold = 10
  /// The frames after such a tone in which a sound that is softer than this part of the tone is no
  /// voice: -10 dB. The state of the network retains the tone for longer than the tone lasts.
  private static let framesAfter = 60
  private static let minimumAfter: Float = 0.1
  /// The mean square below which nothing is a tone: -56 dBFS.
  private static let minimumPower: Float = 2.5e-6

  private let decimation: Int
  /// The last samples of the frame before, and the frame.
  private let samples = FloatBuffer(past + count)
  private let near = LinearPrediction(spacing: 1)
  private let far = LinearPrediction(spacing: farSpacing)
  private var lastPower: Float = 0
  private var framesOfTone = 0
  /// The mean square of the last tone that is held, and the frames since it ended.
  private var heldPower: Float = 0
  private var framesSinceHeld = ToneDetector.framesAfter
  /// Whether the last frame is a tone.
  private(set) var isTone = false

  /// Creates a detector for frames of `hop` samples, a multiple of 80.
  init(hop: Int) { decimation = hop / Self.count }

  /// The last 10 ms at 8 kHz.
  var lowBand: UnsafePointer<Float> { UnsafePointer(samples.start + Self.past) }

  /// Whether a tone has continued for so long that it is no voice.
  var isSteady: Bool { framesOfTone >= Self.steadyFrames }

  /// Whether the last frame is part of a steady tone, or follows one and is much softer.
  var excludesVoice: Bool {
    isSteady
      || framesSinceHeld < Self.framesAfter && lastPower < Self.minimumAfter * heldPower
  }

  /// Records 10 ms. Runs per frame: no allocation, lock, log or await.
  mutating func record(_ frame: UnsafePointer<Float>) {
    load(frame)
    let start = samples.start + Self.past
    let power = FloatBuffer.meanSquare(start, Self.count)
    defer { hold(power) }
    guard power > Self.minimumPower, power.isFinite else {
      (isTone, framesOfTone) = (false, 0)
      return near.clear()
    }
    let predicted = near.residual(start) / power
    near.solve(start, power: power)
    let (isSimple, staysSimple) =
      (near.residual(start) < Self.maximumResidual * power, predicted < Self.lowPredictedResidual)
    let isNoise = !(isSimple || staysSimple) || isLowNoise(start, power: power)
    isTone = isSimple && !isNoise
    let isLevel = max(power, lastPower) < Self.maximumChange * min(power, lastPower)
    let continues =
      isTone && isLevel && predicted < Self.maximumPredictedResidual || staysSimple && !isNoise
    framesOfTone = continues ? min(framesOfTone + 1, Self.framesToHold) : 0
  }

  /// Whether a frame that is simple to predict is noise nevertheless.
  private func isLowNoise(_ frame: UnsafePointer<Float>, power: Float) -> Bool {
    var differences: Float = 0
    for index in 0..<Self.count {
      let difference = frame[index] - frame[index - 1]
      differences += difference * difference
    }
    guard differences > Self.minimumDifference * power * Float(Self.count) else { return true }
    far.solve(frame, power: power)
    return !(far.residual(frame) <= Self.maximumFarResidual * power)
  }

  private mutating func hold(_ power: Float) {
    lastPower = power
    framesSinceHeld = min(framesSinceHeld + 1, Self.framesAfter)
    if framesOfTone >= Self.framesToHold {
      (heldPower, framesSinceHeld) = (power, 0)
    }
  }

  private func load(_ frame: UnsafePointer<Float>) {
    samples.start.update(from: samples.start + Self.count, count: Self.past)
    // A loop for each rate, so that the compiler takes the sums of several samples at once.
    switch decimation {
    case 1: load(frame, parts: 1)
    case 2: load(frame, parts: 2)
    case 4: load(frame, parts: 4)
    case 6: load(frame, parts: 6)
    default: load(frame, parts: decimation)
    }
  }

  @inline(__always)
  private func load(_ frame: UnsafePointer<Float>, parts: Int) {
    let place = samples.start + Self.past
    let scale = 1 / Float(parts)
    for index in 0..<Self.count {
      var sum: Float = 0
      for part in 0..<parts { sum += frame[index * parts + part] }
      place[index] = sum * scale
    }
  }
}
