internal import AudioCore

/// Detects a reference that contains the microphone. The canceller would remove the near voice as an
/// echo.
///
/// The detector predicts the reference from the microphone, in halves of blocks of 128 ms at 4 kHz, by
/// five taps at the lag with the largest correlation. An echo takes the other way: the loudspeaker and
/// the room make the microphone from the reference, and five taps cannot undo them. A reference that is
/// a sum of the microphone and other sound is detected in the pauses of the other sound.
///
/// The work on a block is divided into steps, which run in the frames that follow.
struct MicrophoneCopyDetector: ~Copyable {
  private static let block = PhaseCorrelator.block
  private static let half = block / 2
  /// The number of steps that compare lags. One more step decides.
  private static let comparingSteps = BlockCorrelation.steps + 1
  /// The longest time from the microphone to its copy in the reference, 100 ms, and the longest from a
  /// copy to the microphone, 0.5 ms, in samples. An echo comes later.
  private static let latest = 400
  private static let earliest = 2
  /// The mean square of a whitened block below which the block counts as silent.
  private static let leastPower: Float = 1e-8
  /// The least part of the power of all compared samples that a part of them needs to be compared.
  private static let leastShare: Float = 1e-5
  /// The least squared correlation at the best lag, and the largest one farther than `neighbours` from
  /// it. A tone fits at many lags.
  private static let leastMatch: Float = 0.25
  private static let mostElsewhere: Float = 0.8
  private static let neighbours = 8
  /// The largest part of the reference that the prediction of a copy leaves: -18 dB.
  private static let mostLeft = 0.016

  /// Whether the reference contains the microphone.
  var hasCopy: Bool { evidence.hasCopy }
  /// The numbers of samples by which the microphone may precede its copy.
  private let lags: ClosedRange<Int>
  private let earliestLag: Int  // of a copy
  private var references = BlockRing()
  private var microphones = BlockRing()
  private var comparedBlocks = 0
  // The block that is compared, whitened. The microphone has a block more on each side.
  private let reference = FloatBuffer(block)
  private let microphone = FloatBuffer(3 * block)
  private let correlation: BlockCorrelation
  private let matches: FloatBuffer  // the squared correlation by lag
  private let prediction = ShortPrediction()
  private var power: Float = 0
  private var nextStep = comparingSteps + 1
  private var evidence = Evidence()

  /// Creates a detector. `heldBack` is the delay of the microphone in seconds.
  init(heldBack: Double) {
    let held = Int((heldBack * Double(EstimatorInput.hertz)).rounded(.up))
    earliestLag = -min(held + Self.earliest, Self.latest)
    // The lags of an echo that comes a little later are compared as well: then they fit better.
    lags = earliestLag - Self.neighbours...Self.latest
    correlation = BlockCorrelation(block: Self.block, places: lags.count)
    matches = FloatBuffer(lags.count)
  }

  /// Adds the next block of the reference. Runs per frame: no allocation, lock, log or await.
  mutating func append(reference block: UnsafePointer<Float>) {
    references.append(block)
  }

  /// Adds the next block of the microphone, and begins to compare it if its reference is there. Runs per
  /// frame: no allocation, lock, log or await.
  mutating func append(microphone block: UnsafePointer<Float>) {
    while nextStep <= Self.comparingSteps { run() }
    microphones.append(block)
    // The block of the microphone after it must be there as well.
    let index = min(references.count - 1, microphones.count - 2)
    guard index > comparedBlocks, index >= references.count - BlockRing.kept,
      index > microphones.count - BlockRing.kept
    else { return }
    comparedBlocks = index
    references.whiten(index, into: reference.start)
    for side in 0..<3 {
      microphones.whiten(index - 1 + side, into: microphone.start + side * Self.block)
    }
    power = FloatBuffer.meanSquare(reference.start, Self.block)
    let heard = microphone.meanSquare(Self.block..<2 * Self.block)
    // The comparisons are false for a value that is not a number.
    if power > Self.leastPower, heard > Self.leastPower, power < .infinity, heard < .infinity {
      nextStep = 0
    } else {
      evidence.skip()
    }
  }

  /// Runs the next step of the work on a block, if there is any. Runs per frame: no allocation, lock, log
  /// or await.
  mutating func run() {
    guard nextStep <= Self.comparingSteps else { return }
    switch nextStep {
    case ..<BlockCorrelation.steps:
      correlation.run(step: nextStep, block: reference.start, signal: earliest)
    case BlockCorrelation.steps: compareLags()
    default: decide()
    }
    nextStep += 1
  }

  /// The samples of the microphone that the reference would copy at the largest lag.
  private var earliest: UnsafeMutablePointer<Float> {
    microphone.start + Self.block - lags.upperBound
  }

  /// Computes the match at each lag. A place later in the microphone is a smaller lag.
  private func compareLags() {
    let size = Self.block
    var source = earliest
    var energy = FloatBuffer.product(source, source, size)
    // Of less than this, sums of floats leave nothing but their rounding.
    let heard = size + lags.count - 1
    let least = Self.leastShare * FloatBuffer.product(source, source, heard)
    for place in 0..<lags.count {
      let product = correlation.results[place]
      let scale = power * Float(size) * energy
      let isHeard = energy > least && scale > 0
      matches.start[lags.count - 1 - place] = isHeard ? product * product / scale : 0
      energy += source[size] * source[size] - source[0] * source[0]
      source += 1
    }
  }

  /// Returns by how many samples the microphone comes before a copy in this block, if there is a copy.
  private func bestLag() -> Int? {
    var best = 0
    for index in 1..<lags.count where matches.start[index] > matches.start[best] { best = index }
    var elsewhere: Float = 0
    for index in 0..<lags.count where abs(index - best) > Self.neighbours {
      elsewhere = max(elsewhere, matches.start[index])
    }
    let lag = lags.lowerBound + best
    let isClear = matches.start[best] > Self.leastMatch && elsewhere < Self.mostElsewhere
    return isClear && lag >= earliestLag ? lag : nil
  }

  private func isCopy(_ first: Int, _ lag: Int) -> Bool {
    let target = reference.start + first
    guard FloatBuffer.meanSquare(target, Self.half) > Self.leastPower else { return false }
    let source = microphone.start + Self.block + first - lag
    return prediction.partLeft(of: target, from: source, count: Self.half) < Self.mostLeft
  }

  private mutating func decide() {
    guard let lag = bestLag() else { return evidence.record(halves: 0, at: 0) }
    let halves: UInt64 = (isCopy(0, lag) ? 1 : 0) | (isCopy(Self.half, lag) ? 2 : 0)
    evidence.record(halves: halves, at: lag)
  }
}

/// The last blocks of a signal, in a ring.
private struct BlockRing: ~Copyable {
  /// The number of blocks that are kept, so that one side may be ahead.
  static let kept = 8
  private static let block = PhaseCorrelator.block
  /// The factor of the sample before. The difference whitens a voice roughly.
  private static let whitening: Float = 0.95

  private let values = FloatBuffer(kept * block)
  /// The number of blocks so far.
  private(set) var count = 0

  private func place(of index: Int) -> UnsafeMutablePointer<Float> {
    values.start + index % Self.kept * Self.block
  }

  mutating func append(_ block: UnsafePointer<Float>) {
    place(of: count).update(from: block, count: Self.block)
    count += 1
  }

  /// Writes a block, whitened.
  func whiten(_ index: Int, into target: UnsafeMutablePointer<Float>) {
    let samples = place(of: index)
    let last = place(of: index + Self.kept - 1)[Self.block - 1]
    target[0] = samples[0] - Self.whitening * last
    for index in 1..<Self.block {
      target[index] = samples[index] - Self.whitening * samples[index - 1]
    }
  }
}

/// The copies that were found in the last blocks.
private struct Evidence {
  /// The number of halves at one lag in the last 4 s with which the problem begins.
  private static let copiesToBegin = 3
  /// The number of blocks with sound and without a copy, 8 s, with which the problem ends.
  private static let blocksToEnd = 62

  private(set) var hasCopy = false
  private var copies: UInt64 = 0  // a bit for each half of the last 32 blocks
  private var copyLag = 0
  private var blocksWithout = 0

  /// Records a block that was not compared.
  mutating func skip() { copies <<= 2 }

  /// Records which halves of a block are a copy, a bit each, at a lag.
  mutating func record(halves: UInt64, at lag: Int) {
    copies <<= 2
    blocksWithout += 1
    if halves != 0 {
      if abs(lag - copyLag) > 1 { copies = 0 }
      copyLag = lag
      copies |= halves
      blocksWithout = 0
    }
    if copies.nonzeroBitCount >= Self.copiesToBegin { hasCopy = true }
    if blocksWithout >= Self.blocksToEnd { hasCopy = false }
  }
}
