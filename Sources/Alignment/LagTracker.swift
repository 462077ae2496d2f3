internal import Spectral

/// Says which peak of a correlation is the echo, block after block, and when to believe another.
struct LagTracker {
  /// How far a peak must stand out from the noise, in standard deviations: the largest of 4,096
  /// values of noise reaches 4.
  private static let leastHeight: Float = 7
  /// From this height on there is no doubt.
  private static let sureHeight: Float = 14
  /// To the next best: a signal that repeats itself has two of the same height.
  private static let leastDistinction: Float = 1.3
  /// Peaks this near, 30 ms, are reflections or the pitch of a voice.
  private static let neighbourhood = 120
  /// A peak within this of the last one, 1.5 ms, is the same.
  private static let reach = 6
  /// To the peak at the known lag, to be better.
  private static let leastGain: Float = 1.3
  /// A new peak has to be there for as many blocks of 128 ms.
  private static let blocksToBelieve = 2
  private static let blocksToMove = 3
  /// The same for one within 10 ms, which is more often a reflection than a jump.
  private static let blocksToMoveNearby = 8
  private static let nearby: Float = 40

  /// In samples at 4 kHz; nil until it is known.
  private(set) var lag: Float?
  private(set) var confidence: Float = 0
  /// The lag was not followed but found elsewhere in the last block.
  private(set) var hasMoved = false
  private var candidate = 0
  private var candidateBlocks = 0

  mutating func update(_ correlation: borrowing FloatBuffer) {
    hasMoved = false
    let noise = Self.noise(correlation)
    guard noise > 0 else { return }
    let best = correlation.peak(0..<correlation.count)
    let value = correlation.magnitude(best)
    let other = max(
      correlation.magnitude(correlation.peak(0..<max(0, best - Self.neighbourhood))),
      correlation.magnitude(
        correlation.peak(
          min(correlation.count, best + Self.neighbourhood + 1)..<correlation.count)))
    let height = value / noise
    let distinction = value / max(other, noise)
    let isClear = height >= Self.leastHeight && distinction >= Self.leastDistinction
    follow(correlation, noise)
    guard isClear else {
      candidateBlocks = 0
      return
    }
    if let lag, abs(Float(best) - lag) <= Float(Self.reach) {
      candidateBlocks = 0
      return
    }
    candidateBlocks = abs(best - candidate) <= Self.reach ? candidateBlocks + 1 : 1
    candidate = best
    guard candidateBlocks >= blocksNeeded(for: best), isBetter(value, correlation) else { return }
    lag = correlation.interpolatedPeak(best)
    confidence = Self.confidence(height)
    hasMoved = true
    candidateBlocks = 0
  }

  /// The root of the mean square where there is anything: as long as the reference has no past, the
  /// longer lags are empty, and would make any peak look high.
  private static func noise(_ correlation: borrowing FloatBuffer) -> Float {
    let part = PhaseCorrelator.block
    var (sum, loudest): (Float, Float) = (0, 0)
    var parts: Float = 0
    for start in stride(from: 0, to: correlation.count, by: part) {
      let power = correlation.meanSquare(start..<start + part)
      guard power > loudest * 0.01 else { continue }
      loudest = max(loudest, power)
      sum += power
      parts += 1
    }
    return (sum / max(1, parts)).squareRoot()
  }

  /// The lag is known to be so many samples longer than in the last block.
  mutating func drift(by samples: Float) { move(by: samples) }

  /// The lag has changed by so many samples.
  mutating func jump(by samples: Float) {
    move(by: samples)
    candidateBlocks = 0
  }

  /// Every lag, known or not, is by so many samples longer from here on.
  mutating func shift(by samples: Int) {
    move(by: Float(samples))
    candidate += samples
  }

  /// Not beyond what is looked at: a drift goes on where nothing is heard, as long as that lasts.
  private mutating func move(by samples: Float) {
    let longest = Float(PhaseCorrelator.lagCount - 1)
    lag = lag.map { max(0, min(longest, $0 + samples)) }
  }

  private func blocksNeeded(for candidate: Int) -> Int {
    guard let lag else { return Self.blocksToBelieve }
    return abs(Float(candidate) - lag) <= Self.nearby ? Self.blocksToMoveNearby : Self.blocksToMove
  }

  /// Goes with the peak at the known lag as far as it drifts in a block.
  private mutating func follow(_ correlation: borrowing FloatBuffer, _ noise: Float) {
    guard let lag else { return }
    let peak = Self.peak(near: lag, correlation)
    let height = correlation.magnitude(peak) / noise
    confidence += 0.5 * (Self.confidence(height) - confidence)
    guard height >= Self.leastHeight / 2 else { return }
    self.lag = correlation.interpolatedPeak(peak)
  }

  private func isBetter(_ value: Float, _ correlation: borrowing FloatBuffer) -> Bool {
    guard let lag else { return true }
    return value >= Self.leastGain * correlation.magnitude(Self.peak(near: lag, correlation))
  }

  private static func peak(near lag: Float, _ correlation: borrowing FloatBuffer) -> Int {
    let middle = Int(lag.rounded())
    return correlation.peak(
      (middle - reach..<middle + reach + 1).clamped(to: 0..<correlation.count))
  }

  private static func confidence(_ height: Float) -> Float {
    min(1, max(0, height / sureHeight))
  }
}

extension FloatBuffer {
  /// Also of an echo whose polarity is turned.
  fileprivate func magnitude(_ index: Int) -> Float { index < 0 ? 0 : abs(start[index]) }

  /// The index of the largest magnitude, the first of equals; -1 where there is none.
  fileprivate func peak(_ range: Range<Int>) -> Int {
    var (peak, largest): (Int, Float) = (-1, -1)
    func look(_ index: Int) {
      guard abs(start[index]) > largest else { return }
      (peak, largest) = (index, abs(start[index]))
    }
    var index = range.lowerBound
    while index + 4 <= range.upperBound {
      // Four at once: they are looked at one by one only where they hold something larger.
      let four = UnsafeRawPointer(start + index).loadUnaligned(as: SIMD4<Float>.self)
      if any((four .> largest) .| (four .< -largest)) {
        for each in index..<index + 4 { look(each) }
      }
      index += 4
    }
    while index < range.upperBound {
      look(index)
      index += 1
    }
    return peak
  }

  /// The top of the parabola through a peak and its neighbours.
  fileprivate func interpolatedPeak(_ index: Int) -> Float {
    guard index > 0, index < count - 1 else { return Float(index) }
    let (before, top, after) = (
      magnitude(index - 1), magnitude(index), magnitude(index + 1)
    )
    let curvature = before - 2 * top + after
    guard curvature < 0 else { return Float(index) }
    return Float(index) + max(-0.5, min(0.5, (before - after) / (2 * curvature)))
  }
}
