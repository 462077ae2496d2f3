internal import AudioCore
internal import Foundation

/// A meter of the power of encoded audio. Uses a bounded amount of memory.
struct LevelMeter: ~Copyable {
  /// The maximum number of frames to keep, one hour.
  static let longest = 360_000
  /// The maximum length of the curve in milliseconds, one minute.
  private static let longestCurve = 60_000
  private static let pointsPerFrame = 10

  /// The mean square of each frame of 10 ms.
  private(set) var meanSquares: [Float] = []
  /// The root mean square of each millisecond of the first channel.
  private(set) var curve: [Float] = []
  private let hasCurve: Bool
  private var queue: SampleQueue
  private let frame: Frame

  init(_ format: AudioFormat, withCurve: Bool = false) {
    queue = SampleQueue(format: format)
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    hasCurve = withCurve
  }

  /// Returns the mean squares of the frames that the samples complete.
  mutating func append(_ samples: some Sequence<UInt8>) -> [Float] {
    let bytes = Array(samples)
    _ = bytes.withUnsafeBytes { queue.append($0) }
    var added: [Float] = []
    while queue.count >= frame.sampleCount {
      queue.read(into: frame)
      added.append(frame.meanSquare)
      if hasCurve, curve.count < Self.longestCurve { appendCurve() }
    }
    meanSquares += added.prefix(max(0, Self.longest - meanSquares.count))
    return added
  }

  private mutating func appendCurve() {
    let samples = Array(frame.plane(0))
    for point in 0..<Self.pointsPerFrame {
      let part =
        samples[
          point * samples.count / Self.pointsPerFrame..<(point + 1) * samples.count
            / Self.pointsPerFrame]
      let power = part.reduce(0) { $0 + $1 * $1 }
      curve.append((power / Float(part.count)).squareRoot())
    }
  }
}

/// The delay of the microphone after the reference, found by correlating their loudness.
struct ReferenceLag: Sendable {
  /// The longest delay in milliseconds, in both directions.
  private static let longest = 500
  /// The lowest correlation of two curves that contain the same sound. The correlation of two
  /// voices that talk independently stays below 0.1.
  private static let leastLikeness: Float = 0.25
  /// The factor by which a negative delay must fit better than a positive one to be accepted.
  private static let leastRatio: Float = 1.5
  /// The possible error of devices in milliseconds.
  private static let tolerance = 2

  /// The delay in milliseconds. Negative if the reference follows the microphone.
  let milliseconds: Int

  /// Whether the two files seem to be exchanged, because the reference follows the microphone.
  var looksSwapped: Bool { milliseconds < -Self.tolerance }

  /// Compares two curves with one value per millisecond. Returns nil if they have no sound in
  /// common.
  init?(microphone: [Float], reference: [Float]) {
    let count = min(microphone.count, reference.count)
    guard count > 2 * Self.longest else { return nil }
    let heard = Self.withoutMean(microphone[..<count])
    let played = Self.withoutMean(reference[..<count])
    var (right, wrong) = ((lag: 0, likeness: Float(0)), (lag: 0, likeness: Float(0)))
    for lag in -Self.longest...Self.longest {
      let likeness = Self.likeness(heard, played, lag: lag)
      if lag < -Self.tolerance {
        if likeness > wrong.likeness { wrong = (lag, likeness) }
      } else if likeness > right.likeness {
        right = (lag, likeness)
      }
    }
    let best = wrong.likeness > Self.leastRatio * right.likeness ? wrong : right
    guard best.likeness >= Self.leastLikeness else { return nil }
    milliseconds = best.lag
  }

  private static func withoutMean(_ curve: ArraySlice<Float>) -> [Float] {
    let mean = curve.reduce(0, +) / Float(curve.count)
    return curve.map { $0 - mean }
  }

  /// Returns the correlation of `heard` with `played`, delayed by `lag` points.
  private static func likeness(_ heard: [Float], _ played: [Float], lag: Int) -> Float {
    var (product, heardPower, playedPower) = (Float(0), Float(0), Float(0))
    heard.withUnsafeBufferPointer { heard in
      played.withUnsafeBufferPointer { played in
        var index = max(0, lag)
        let end = heard.count + min(0, lag)
        while index < end {
          let (left, right) = (heard[index], played[index - lag])
          product += left * right
          heardPower += left * left
          playedPower += right * right
          index += 1
        }
      }
    }
    guard heardPower > 0, playedPower > 0 else { return 0 }
    return product / (heardPower * playedPower).squareRoot()
  }
}
