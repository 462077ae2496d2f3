internal import AudioCore

/// Follows the peak of the echo in the correlation, block after block, and decides when to move to
/// another peak.
struct LagTracker {
  /// The least height of a peak above the noise, in standard deviations. The largest of 4,096
  /// values of noise reaches 4.
  private static let leastHeight: Float = 7
  /// The height from which the confidence is 1.
  private static let sureHeight: Float = 14
  /// The least ratio to the second highest peak. A signal that repeats itself has two peaks of the
  /// same height.
  private static let leastDistinction: Float = 1.3
  /// The height from which the highest peak is likely to be the echo if it stays: without an echo, the highest
  /// of 4,096 values reached it in three successive blocks at most.
  private static let likelyHeight: Float = 6
  private static let likelyDistinction: Float = 1.1
  /// The distance, 30 ms, within which other peaks are reflections or the pitch of a voice.
  private static let neighbourhood = 120
  /// The least height of a direct sound by that of a reflection after it.
  private static let leastShare: Float = 0.5
  /// The distance, 1.5 ms, within which a peak is the same as in the last block.
  private static let reach = 6
  /// The least ratio of a better peak to the peak at the known lag.
  private static let leastGain: Float = 1.3
  /// The number of successive blocks of 128 ms in which a new peak must appear: before any lag is
  /// known, and to move from a known one.
  private static let blocksToBelieve = 2
  private static let blocksToMove = 3
  /// The number of successive blocks with a likely peak at the same lag, before any lag is known. The echo of a
  /// distant loudspeaker is not clear for seconds, but it stays.
  private static let blocksToBelieveLikely = 5
  /// The same for a peak within 10 ms of the known lag, which is more often a reflection than a
  /// jump.
  private static let blocksToMoveNearby = 8
  private static let nearby: Float = 40

  /// The lag in samples at 4 kHz; nil until it is known.
  private(set) var lag: Float?
  private(set) var confidence: Float = 0
  /// Whether the last block moved the lag to another peak.
  private(set) var hasMoved = false
  private var candidate = Candidate()
  private var likely = Candidate()

  /// A peak that may be the echo, and the number of successive blocks in which it was at the same lag.
  private struct Candidate {
    private var lag = 0
    private(set) var blocks = 0

    mutating func record(_ peak: Int) {
      blocks = abs(peak - lag) <= LagTracker.reach ? blocks + 1 : 1
      lag = peak
    }

    mutating func forget() { blocks = 0 }
    mutating func shift(by samples: Int) { lag += samples }
  }

  /// Takes the correlation of a block. While the echo `isExplained` at the present lag, the lag
  /// stays: a strong reflection correlates as well, but is not another path. A block that `lacksEcho` at the
  /// present lag, because nothing was played then, does not speak for another one: a person's voice may
  /// resemble what the far end said before.
  mutating func update(
    _ correlation: borrowing FloatBuffer, isExplained: Bool, lacksEcho: Bool = false
  ) {
    hasMoved = false
    let noise = Self.noise(correlation)
    guard noise > 0 else { return }
    let highest = correlation.peak(0..<correlation.count)
    let value = correlation.magnitude(highest)
    let other = max(
      correlation.magnitude(correlation.peak(0..<max(0, highest - Self.neighbourhood))),
      correlation.magnitude(
        correlation.peak(
          min(correlation.count, highest + Self.neighbourhood + 1)..<correlation.count)))
    let height = value / noise
    let distinction = value / max(other, noise)
    let isClear = height >= Self.leastHeight && distinction >= Self.leastDistinction
    let best = Self.first(before: highest, correlation, noise)
    follow(correlation, noise)
    if isLikely(highest, height: height, distinction: distinction) {
      accept(best, correlation, height: height)
      return
    }
    guard isClear else {
      candidate.forget()
      return
    }
    if let lag, abs(Float(best) - lag) <= Float(Self.reach) {
      candidate.forget()
      return
    }
    guard !lacksEcho else { return }
    candidate.record(best)
    guard candidate.blocks >= blocksNeeded(for: best), isBetter(value, correlation),
      !isExplained || lag == nil
    else { return }
    accept(best, correlation, height: height)
  }

  private mutating func accept(
    _ peak: Int, _ correlation: borrowing FloatBuffer, height: Float
  ) {
    lag = correlation.interpolatedPeak(peak)
    confidence = Self.confidence(height)
    hasMoved = true
    candidate.forget()
  }

  /// Counts the blocks in which the highest peak stays. Returns whether the peak is the echo. For
  /// use until the first lag is known.
  private mutating func isLikely(_ highest: Int, height: Float, distinction: Float) -> Bool {
    guard lag == nil, height >= Self.likelyHeight, distinction >= Self.likelyDistinction else {
      likely.forget()
      return false
    }
    likely.record(highest)
    return likely.blocks >= Self.blocksToBelieveLikely
  }

  /// Returns the direct sound that belongs to the highest peak, which in a room may be a reflection: the
  /// first peak of the 30 ms before it that is clear and at least half as high.
  private static func first(
    before highest: Int, _ correlation: borrowing FloatBuffer, _ noise: Float
  ) -> Int {
    let least = max(leastShare * correlation.magnitude(highest), leastHeight * noise)
    var index = max(0, highest - neighbourhood)
    while index < highest - reach {
      if correlation.magnitude(index) >= least {
        return correlation.peak(index..<min(index + reach, highest))
      }
      index += 1
    }
    return highest
  }

  /// Returns the root mean square of the correlation, without parts that are almost zero. Until the
  /// reference has a past, longer lags are empty and would make any peak look high.
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

  /// Lengthens the lag by the known drift since the last block, in samples.
  mutating func drift(by samples: Float) { move(by: samples) }

  /// Changes the lag by a known number of samples.
  mutating func jump(by samples: Float) {
    move(by: samples)
    candidate.forget()
  }

  /// Makes every lag longer by a number of samples, because the window of lags has moved.
  mutating func shift(by samples: Int) {
    move(by: Float(samples))
    candidate.shift(by: samples)
    likely.shift(by: samples)
  }

  /// Moves the lag, within the window: a drift continues while no echo is heard.
  private mutating func move(by samples: Float) {
    let longest = Float(PhaseCorrelator.lagCount - 1)
    lag = lag.map { max(0, min(longest, $0 + samples)) }
  }

  private func blocksNeeded(for candidate: Int) -> Int {
    guard let lag else { return Self.blocksToBelieve }
    return abs(Float(candidate) - lag) <= Self.nearby ? Self.blocksToMoveNearby : Self.blocksToMove
  }

  /// Follows the peak at the known lag as far as it can drift in a block.
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
  /// The absolute value, as the polarity of an echo may be inverted. 0 for a negative index.
  fileprivate func magnitude(_ index: Int) -> Float { index < 0 ? 0 : abs(start[index]) }

  /// Returns the index of the largest magnitude, the first of equals, or -1 if the range is empty.
  fileprivate func peak(_ range: Range<Int>) -> Int {
    var (peak, largest): (Int, Float) = (-1, -1)
    func look(_ index: Int) {
      guard abs(start[index]) > largest else { return }
      (peak, largest) = (index, abs(start[index]))
    }
    var index = range.lowerBound
    while index + 16 <= range.upperBound {
      // Values are compared one by one only if one of sixteen is larger.
      let values = UnsafeRawPointer(start + index).loadUnaligned(as: SIMD16<Float>.self)
      if any((values .> largest) .| (values .< -largest)) {
        for each in index..<index + 16 { look(each) }
      }
      index += 16
    }
    while index < range.upperBound {
      look(index)
      index += 1
    }
    return peak
  }

  /// Returns the vertex of the parabola through a peak and its neighbours.
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

/// Detects jumps of the lag that follow one another in the same direction. A drift too fast to be
/// followed appears like this: the lag is found again and again, each time a little further.
struct JumpTrend {
  /// The distance of two jumps in seconds from which they are unrelated.
  private static let memory = 5.0
  private static let jumpsToTell = 3

  private(set) var isDrift = false
  private var count = 0  // less than 0 for jumps back
  private var lastTime = -Double.infinity

  /// Records a jump of the lag by a number of seconds, at a time in seconds.
  mutating func record(_ jump: Double, at time: Double) {
    update(time)
    let isSameWay = count == 0 || (count > 0) == (jump > 0)
    count = (isSameWay ? count : 0) + (jump > 0 ? 1 : -1)
    lastTime = time
    isDrift = abs(count) >= Self.jumpsToTell
  }

  mutating func update(_ time: Double) {
    guard time - lastTime > Self.memory else { return }
    count = 0
    isDrift = false
  }
}
