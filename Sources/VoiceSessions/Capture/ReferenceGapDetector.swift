internal import AudioCore
internal import Spectral

/// Detects a reference that lacks blocks of samples: silence takes their place, or the blocks after
/// them follow at once.
///
/// Each lost block leaves steps in the waveform. The steps of lost blocks lie on a grid, the length of a
/// block apart, and go up as often as down. The pulses of a voice lie on no grid for longer, and the
/// edges of a periodic waveform go in one direction, or in directions that repeat themselves.
struct ReferenceGapDetector: ~Copyable {
  /// The length of a block, in milliseconds.
  private static let blocks = 9...130
  /// The time for which a step is remembered, in seconds.
  private static let memory = 6
  private static let mostSteps = 256
  /// The block is a part of the distance from the newest step to one of the last ones.
  private static let lastSteps = 3
  private static let largestDivisor = 12
  /// The distance from the grid, in samples, within which a step lies on it.
  private static let tolerance: Float = 1
  /// The number of steps in each direction by which a grid exceeds chance, and 2 standard deviations
  /// of chance.
  private static let leastExcess: Float = 3
  /// The largest number of steps after which directions may repeat themselves, and the correlation with
  /// those so many steps earlier from which on they do.
  private static let longestPattern = 6
  private static let mostRepeated: Float = 0.7
  private static let leastPairs: Float = 5
  /// The frames of sound without a new step on a grid after which the gaps have ended.
  private static let framesToClear = 500

  private let lengths: ClosedRange<Int>
  private let remembered: Int
  private var steps: WaveformSteps
  /// The samples at which the waveform stepped, and the direction, -1 or 1, in a ring.
  private var samples = [Int](repeating: .min / 2, count: mostSteps)
  private var directions = [Float](repeating: 0, count: mostSteps)
  private var next = 0
  /// The distances of the last steps from the newest, from the last to the first, and whether their
  /// directions are those of the newest one, -1 or 1.
  private let distances = FloatBuffer(mostSteps)
  private let agreements = FloatBuffer(mostSteps)
  private let signs = FloatBuffer(mostSteps)
  private let placed = FloatBuffer(mostSteps)
  private var framesWithout = 0
  private var hasGaps = false

  init(rate: SampleRate) {
    lengths = rate.hertz * Self.blocks.lowerBound / 1000...rate.hertz * Self.blocks.upperBound / 1000
    remembered = rate.hertz * Self.memory
    steps = WaveformSteps(rate: rate)
  }

  /// Adds the next frame of the reference. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether blocks are missing.
  mutating func process(_ frame: borrowing Frame) -> Bool {
    var newest: Int?
    steps.process(frame) { step in
      samples[next] = step.sample
      directions[next] = step.isUpward ? 1 : -1
      newest = next
      next = (next + 1) % Self.mostSteps
    }
    if let newest, isOnGrid(newest) {
      (hasGaps, framesWithout) = (true, 0)
    } else if steps.isLoud {
      framesWithout += 1
      if framesWithout >= Self.framesToClear { hasGaps = false }
    }
    return hasGaps
  }

  /// Returns whether the newest step lies on a grid with enough of the steps before it.
  private mutating func isOnGrid(_ newest: Int) -> Bool {
    var count = 0
    while count < Self.mostSteps - 1 {
      let place = (newest - 1 - count + 2 * Self.mostSteps) % Self.mostSteps
      let distance = samples[newest] - samples[place]
      guard distance < remembered else { break }
      distances.start[count] = Float(distance)
      agreements.start[count] = directions[place] * directions[newest]
      count += 1
    }
    let padded = (count + 7) / 8 * 8
    for index in count..<padded { (distances.start[index], agreements.start[index]) = (0, 0) }
    for last in 0..<min(Self.lastSteps, count) {
      let distance = Int(distances.start[last])
      for divisor in 1...Self.largestDivisor where distance.isMultiple(of: divisor) {
        let length = distance / divisor
        guard lengths.contains(length) else { continue }
        if isGrid(length, count: count, padded: padded) { return true }
      }
    }
    return false
  }

  private mutating func isGrid(_ length: Int, count: Int, padded: Int) -> Bool {
    var (found, sum) = (SIMD8<Float>(), SIMD8<Float>())
    let (period, inverse) = (SIMD8(repeating: Float(length)), SIMD8(repeating: 1 / Float(length)))
    let (low, high) = (SIMD8(repeating: -Self.tolerance), SIMD8(repeating: Self.tolerance))
    var index = 0
    while index < padded {
      let distance = UnsafeRawPointer(distances.start + index).loadUnaligned(as: SIMD8<Float>.self)
      let agreement = UnsafeRawPointer(agreements.start + index).loadUnaligned(
        as: SIMD8<Float>.self)
      let off = distance - (distance * inverse).rounded(.toNearestOrEven) * period
      let signs = agreement.replacing(with: 0, where: (off .< low) .| (off .> high))
      sum += signs
      found += signs * signs
      index += 8
    }
    let fewer = (found.sum() - sum.sum().magnitude) / 2
    let chance = Float(count) * (2 * Self.tolerance + 1) / Float(length) / 2
    guard fewer - chance - 2 * chance.squareRoot() > Self.leastExcess else { return false }
    return !repeats(length, count: count)
  }

  /// Returns whether the directions of the steps on a grid repeat themselves.
  private func repeats(_ length: Int, count: Int) -> Bool {
    let places = min(Self.mostSteps, remembered / length)
    var found = 0
    signs.clear()
    placed.clear()
    for index in 0..<count {
      let distance = distances.start[index]
      let place = (distance / Float(length)).rounded()
      guard (distance - place * Float(length)).magnitude <= Self.tolerance else { continue }
      signs.start[found] = agreements.start[index]
      if Int(place) < places { placed.start[Int(place)] = agreements.start[index] }
      found += 1
    }
    for pattern in 1...Self.longestPattern {
      if Self.repeats(signs.start, found, after: pattern)
        || Self.repeats(placed.start, places, after: pattern)
      {
        return true
      }
    }
    return false
  }

  private static func repeats(
    _ signs: UnsafePointer<Float>, _ count: Int, after pattern: Int
  ) -> Bool {
    guard count > pattern else { return false }
    var (pairs, sum): (Float, Float) = (0, 0)
    for index in pattern..<count {
      let product = signs[index] * signs[index - pattern]
      pairs += product.magnitude
      sum += product
    }
    return pairs >= Self.leastPairs && sum.magnitude >= Self.mostRepeated * pairs
  }
}
