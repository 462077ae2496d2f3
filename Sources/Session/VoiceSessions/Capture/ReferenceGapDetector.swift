internal import AudioCore

/// Detects a reference that lacks blocks of samples: silence takes their place, or the blocks after
/// them follow at once.
///
/// A lost block leaves steps in the waveform. The steps of lost blocks lie on a grid with the length of a
/// block, and go up as often as down. The pulses of a voice lie on no grid for long, and the steps of a
/// periodic waveform go in one direction, or in directions that repeat themselves.
struct ReferenceGapDetector: ~Copyable {
  /// The lengths of a block, in milliseconds.
  private static let blocks = 9...130
  /// The time for which a step is remembered, in seconds, and the largest number of steps.
  private static let memory = 6
  private static let mostSteps = 256
  /// The length of a block is a part of the distance from the newest step to one of the last ones.
  private static let lastSteps = 3
  private static let largestDivisor = 12
  /// The distance from the grid, in samples, within which a step lies on it.
  private static let tolerance: Float = 1
  /// The number of steps in each direction by which a grid exceeds chance and two standard deviations
  /// of chance.
  private static let leastExcess: Float = 3
  /// The largest number of steps or blocks after which directions may repeat themselves, and the least
  /// correlation and the least number of pairs with which they do.
  private static let longestPattern = 6
  private static let leastRepeated: Float = 0.7
  private static let leastPairs: Float = 5
  /// The frames of sound without a new step on a grid after which the gaps have ended.
  private static let framesToEnd = 500

  private let lengths: ClosedRange<Int>  // of a block, in samples
  private let remembered: Int  // in samples
  private var steps: WaveformSteps
  /// The samples at which the waveform stepped, and the directions, 1 or -1, in a ring.
  private var samples = [Int](repeating: .min / 2, count: mostSteps)
  private var directions = [Float](repeating: 0, count: mostSteps)
  private var next = 0
  /// The distances of the steps before the newest one, from the last to the first, and 1 for the
  /// direction of the newest or -1 for the other.
  private let distances = FloatBuffer(mostSteps)
  private let agreements = FloatBuffer(mostSteps)
  /// The agreements of the steps on a grid, in order, and by their place on the grid.
  private let ordered = FloatBuffer(mostSteps)
  private let placed = FloatBuffer(mostSteps)
  private var framesWithout = 0
  private var hasGaps = false

  init(rate: SampleRate) {
    let perMillisecond = { (milliseconds: Int) in rate.hertz * milliseconds / 1000 }
    lengths = perMillisecond(Self.blocks.lowerBound)...perMillisecond(Self.blocks.upperBound)
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
      if framesWithout >= Self.framesToEnd { hasGaps = false }
    }
    return hasGaps
  }

  /// Returns whether the newest step lies on a grid with enough of the steps before it.
  private func isOnGrid(_ newest: Int) -> Bool {
    let count = compare(with: newest)
    for last in 0..<min(Self.lastSteps, count) {
      let distance = Int(distances.start[last])
      for divisor in 1...Self.largestDivisor where distance.isMultiple(of: divisor) {
        let length = distance / divisor
        guard lengths.contains(length) else { continue }
        if exceedsChance(length, count), !repeats(length, count) { return true }
      }
    }
    return false
  }

  /// Makes the distances and agreements of the remembered steps before the newest one. Returns their
  /// number.
  private func compare(with newest: Int) -> Int {
    var count = 0
    while count < Self.mostSteps - 1 {
      let place = (newest - 1 - count + Self.mostSteps) % Self.mostSteps
      let distance = samples[newest] - samples[place]
      guard distance < remembered else { break }
      distances.start[count] = Float(distance)
      agreements.start[count] = directions[place] * directions[newest]
      count += 1
    }
    // The places up to a multiple of eight count as no steps.
    for index in count..<(count + 7) / 8 * 8 {
      (distances.start[index], agreements.start[index]) = (0, 0)
    }
    return count
  }

  /// Returns whether more steps in both directions lie on a grid than by chance.
  private func exceedsChance(_ length: Int, _ count: Int) -> Bool {
    var (found, sum) = (SIMD8<Float>(), SIMD8<Float>())
    let (period, inverse) = (SIMD8(repeating: Float(length)), SIMD8(repeating: 1 / Float(length)))
    let (low, high) = (SIMD8(repeating: -Self.tolerance), SIMD8(repeating: Self.tolerance))
    for index in stride(from: 0, to: count, by: 8) {
      let distance = UnsafeRawPointer(distances.start + index).loadUnaligned(as: SIMD8<Float>.self)
      let agreement = UnsafeRawPointer(agreements.start + index)
        .loadUnaligned(as: SIMD8<Float>.self)
      let off = distance - (distance * inverse).rounded(.toNearestOrEven) * period
      let onGrid = agreement.replacing(with: 0, where: (off .< low) .| (off .> high))
      sum += onGrid
      found += onGrid * onGrid
    }
    let fewer = (found.sum() - sum.sum().magnitude) / 2
    let chance = Float(count) * (2 * Self.tolerance + 1) / Float(length) / 2
    return fewer - chance - 2 * chance.squareRoot() > Self.leastExcess
  }

  /// Returns whether the directions of the steps on a grid repeat themselves.
  private func repeats(_ length: Int, _ count: Int) -> Bool {
    let places = min(Self.mostSteps, remembered / length)
    placed.clear()
    var found = 0
    for index in 0..<count {
      let place = (distances.start[index] / Float(length)).rounded()
      let off = distances.start[index] - place * Float(length)
      guard off.magnitude <= Self.tolerance else { continue }
      ordered.start[found] = agreements.start[index]
      found += 1
      if Int(place) < places { placed.start[Int(place)] = agreements.start[index] }
    }
    for pattern in 1...Self.longestPattern {
      if Self.repeats(ordered.start, found, after: pattern)
        || Self.repeats(placed.start, places, after: pattern)
      {
        return true
      }
    }
    return false
  }

  private static func repeats(
    _ directions: UnsafePointer<Float>, _ count: Int, after pattern: Int
  ) -> Bool {
    guard count > pattern else { return false }
    var (pairs, sum): (Float, Float) = (0, 0)
    for index in pattern..<count {
      let product = directions[index] * directions[index - pattern]
      pairs += product.magnitude
      sum += product
    }
    return pairs >= leastPairs && sum.magnitude >= leastRepeated * pairs
  }
}
