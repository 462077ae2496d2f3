internal import Spectral

#if canImport(Glibc)
  internal import Glibc
#endif

/// Finds steady tones: DTMF, dial and ring-back tones, beeps.
///
/// The samples of one to three tones follow exactly from the six before them (linear prediction by the
/// covariance method; J. Makhoul, "Linear prediction: a tutorial review", 1975), also with the
/// coefficients of the frame before. The samples of a voice do not for long. Sound is heard at 8 kHz.
struct SteadyTone: ~Copyable {
  /// The coefficients of the prediction, and the samples of a frame.
  private static let order = 6
  private static let count = 80
  /// A frame is a tone if its own coefficients leave less than this part of its power: -25 dB.
  private static let mostRest: Float = 0.003
  /// A tone goes on if the coefficients of the frame before leave less than -20 dB and its level changes by
  /// less than 0.5 dB, or if they leave less than -30 dB: two tones may beat.
  private static let mostRestAhead: Float = 0.01
  private static let leastRestAhead: Float = 0.001
  private static let mostChange: Float = 1.122
  /// The frames after which a tone that goes on is no voice.
  private static let framesToTell = 3
  /// The frames that go on after which a tone is remembered. A sung or level vowel seldom lasts as long.
  private static let framesToRemember = 10
  /// The frames after such a tone in which a sound that is softer than this part of the tone is no voice:
  /// -10 dB. The network remembers the tone for longer than it lasts.
  private static let framesAfter = 60
  private static let leastAfter: Float = 0.1
  /// The mean square below which nothing is a tone: -56 dBFS.
  private static let leastPower: Float = 2.5e-6

  private let decimation: Int
  /// The last samples of the frame before, and the frame.
  private let samples = FloatBuffer(order + count)
  /// The normal equations, and the coefficients of the last frame.
  private let matrix = FloatBuffer(order * (order + 1))
  private let coefficients = FloatBuffer(order)
  private var lastPower: Float = 0
  private var framesThatGoOn = 0
  /// The mean square of the last tone that is remembered, and the frames since it ended.
  private var rememberedPower: Float = 0
  private var framesSinceRemembered = SteadyTone.framesAfter
  /// Whether the last frame is a tone.
  private(set) var isTone = false

  /// Creates a detector for frames of `hop` samples, a multiple of 80.
  init(hop: Int) { decimation = hop / Self.count }

  /// Whether a tone has gone on for so long that it is no voice.
  var isSteady: Bool { framesThatGoOn >= Self.framesToTell }

  /// Whether the last frame is part of a steady tone, or follows one and is much softer.
  var isNoVoice: Bool {
    isSteady
      || framesSinceRemembered < Self.framesAfter && lastPower < Self.leastAfter * rememberedPower
  }

  /// Takes 10 ms. Runs per frame: no allocation, lock, log or await.
  mutating func note(_ frame: UnsafePointer<Float>) {
    load(frame)
    let start = samples.start + Self.order
    let power = FloatBuffer.meanSquare(start, Self.count)
    defer { remember(power) }
    guard power > Self.leastPower, power.isFinite else {
      (isTone, framesThatGoOn) = (false, 0)
      return coefficients.clear()
    }
    let ahead = rest() / power
    solve(power)
    isTone = rest() < Self.mostRest * power
    let isLevel = max(power, lastPower) < Self.mostChange * min(power, lastPower)
    let goesOn = ahead < Self.mostRestAhead && isLevel && isTone || ahead < Self.leastRestAhead
    framesThatGoOn = goesOn ? min(framesThatGoOn + 1, Self.framesToRemember) : 0
  }

  private mutating func remember(_ power: Float) {
    lastPower = power
    framesSinceRemembered = min(framesSinceRemembered + 1, Self.framesAfter)
    if framesThatGoOn >= Self.framesToRemember {
      (rememberedPower, framesSinceRemembered) = (power, 0)
    }
  }

  private func load(_ frame: UnsafePointer<Float>) {
    samples.start.update(from: samples.start + Self.count, count: Self.order)
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
    let place = samples.start + Self.order
    let scale = 1 / Float(parts)
    for index in 0..<Self.count {
      var sum: Float = 0
      for part in 0..<parts { sum += frame[index * parts + part] }
      place[index] = sum * scale
    }
  }

  /// Returns the mean square of what the coefficients do not predict of the frame.
  private func rest() -> Float {
    let place = samples.start + Self.order
    var sum = SIMD8<Float>()
    var first = 0
    while first < Self.count {
      var error = Self.eight(place + first)
      for lag in 1...Self.order {
        error -= coefficients.start[lag - 1] * Self.eight(place + first - lag)
      }
      sum += error * error
      first += 8
    }
    return sum.sum() / Float(Self.count)
  }

  @inline(__always)
  private static func eight(_ samples: UnsafePointer<Float>) -> SIMD8<Float> {
    UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<Float>.self)
  }

  /// Returns the product of the frame `lag` samples ago with that of `other` samples ago.
  private func product(_ lag: Int, _ other: Int) -> Float {
    let place = samples.start + Self.order
    return FloatBuffer.product(place - lag, place - other, Self.count)
  }

  /// Computes the coefficients that predict the frame best.
  private func solve(_ power: Float) {
    let (order, width) = (Self.order, Self.order + 1)
    let rows = matrix.start
    for column in 0..<order {
      rows[column] = product(1, column + 1)
      rows[column * width + order] = product(0, column + 1)
    }
    for row in 1..<order {
      rows[row * width] = rows[row]
      for column in 1..<order {
        // The same sum as one row up and one column left, a sample later.
        let before = samples.start[order - row - 1] * samples.start[order - column - 1]
        let last = Self.count + order - 1
        let after = samples.start[last - row] * samples.start[last - column]
        rows[row * width + column] = rows[(row - 1) * width + column - 1] + before - after
      }
    }
    // A little noise keeps the equations of pure tones solvable.
    let noise = 1e-5 * power * Float(Self.count) + 1e-9
    for row in 0..<order { rows[row * width + row] += noise }
    eliminate()
  }

  /// Solves the equations by elimination: they are symmetric and positive, and need no pivots.
  private func eliminate() {
    let (order, width) = (Self.order, Self.order + 1)
    let rows = matrix.start
    for pivot in 0..<order {
      for row in (pivot + 1)..<order {
        let factor = rows[row * width + pivot] / rows[pivot * width + pivot]
        for column in pivot...order {
          rows[row * width + column] -= factor * rows[pivot * width + column]
        }
      }
    }
    for row in stride(from: order - 1, through: 0, by: -1) {
      var sum = rows[row * width + order]
      for column in (row + 1)..<order {
        sum -= rows[row * width + column] * coefficients.start[column]
      }
      coefficients.start[row] = sum / rows[row * width + row]
    }
  }
}
