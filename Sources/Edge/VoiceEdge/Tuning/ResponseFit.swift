internal import Foundation

/// Filters that flatten a response: one peak after another where the response deviates most, and then
/// all of them together by small steps.
struct ResponseFit: Sendable {
  /// The band to flatten in Hz.
  static let band = 180.0...6_600
  /// The greatest boost in dB. More would overload small loudspeakers.
  private static let largestBoost = 10.0
  private static let largestCut = -20.0
  private static let pointsPerOctave = 12.0
  /// The deviation in dB that is good enough.
  private static let goal = 0.7

  /// The filters, with a level that keeps their sum at or below 0 dB.
  private(set) var direction = Tuning.Direction()
  /// The largest deviation from the mean in dB, before and after.
  private(set) var before = 0.0
  private(set) var after = 0.0

  private let rate: Double
  private let angles: [Double]
  private let levels: [Double]

  /// Fits filters to a response, which returns the level in dB at a frequency in Hz.
  init(_ level: (_ frequency: Double) -> Double, rate: Double) {
    self.rate = rate
    let octaves = log2(Self.band.upperBound / Self.band.lowerBound)
    let frequencies = (0...Int(octaves * Self.pointsPerOctave)).map {
      Self.band.lowerBound * pow(2, Double($0) / Self.pointsPerOctave)
    }
    angles = frequencies.map { 2 * Double.pi * $0 / rate }
    levels = frequencies.map(level)
    before = Self.deviation(levels)
    fit(frequencies)
  }

  private mutating func fit(_ frequencies: [Double]) {
    var filters: [FilterShape] = []
    var curves: [[Double]] = []
    while filters.count < FilterShape.most {
      let rest = sum(curves)
      guard Self.deviation(rest) > Self.goal else { break }
      let mean = rest.reduce(0, +) / Double(rest.count)
      let worst = rest.indices.max { abs(rest[$0] - mean) < abs(rest[$1] - mean) } ?? 0
      var best = FilterShape(
        .peak, frequency: frequencies[worst], gain: Self.limited(mean - rest[worst]), quality: 1)
      var bestCost = Double.infinity
      for quality in [0.5, 0.8, 1.2, 1.8, 2.8, 4.5] {
        var shape = best
        shape.quality = quality
        let cost = Self.cost(sum(curves + [curve(shape)]))
        if cost < bestCost { (best, bestCost) = (shape, cost) }
      }
      filters.append(best)
      curves.append(curve(best))
      refine(&filters, &curves)
    }
    after = Self.deviation(sum(curves))
    let loudest = Self.loudest(filters, rate)
    direction = Tuning.Direction(level: -max(0, loudest), filters: filters)
  }

  /// Improves the filters one by one, with steps that become smaller.
  private func refine(_ filters: inout [FilterShape], _ curves: inout [[Double]]) {
    var cost = Self.cost(sum(curves))
    for step in [0.3, 0.15, 0.08, 0.04] {
      for _ in 0..<3 {
        for index in filters.indices {
          let others = sum(curves.indices.filter { $0 != index }.map { curves[$0] })
          for trial in Self.trials(filters[index], step) {
            let curve = curve(trial)
            let new = Self.cost(zip(others, curve).map(+))
            if new < cost { (filters[index], curves[index], cost) = (trial, curve, new) }
          }
        }
      }
    }
  }

  private static func trials(_ shape: FilterShape, _ step: Double) -> [FilterShape] {
    [-step, step].flatMap { step -> [FilterShape] in
      var (moved, raised, widened) = (shape, shape, shape)
      moved.frequency = min(max(shape.frequency * pow(2, step), 60), 12_000)
      raised.gain = limited(shape.gain + 6 * step)
      widened.quality = min(max(shape.quality * pow(2, 2 * step), 0.3), 8)
      return [moved, raised, widened]
    }
  }

  private static func limited(_ gain: Double) -> Double {
    min(max(gain, largestCut), largestBoost)
  }

  private func curve(_ shape: FilterShape) -> [Double] {
    let coefficients = shape.coefficients(rate)
    return angles.map { coefficients.response(at: $0) }
  }

  /// Returns the response with the filters, in dB.
  private func sum(_ curves: [[Double]]) -> [Double] {
    levels.indices.map { index in curves.reduce(levels[index]) { $0 + $1[index] } }
  }

  /// Returns the mean of the fourth power of the deviation, so that the largest ones count most.
  private static func cost(_ levels: [Double]) -> Double {
    let mean = levels.reduce(0, +) / Double(levels.count)
    return levels.reduce(0) { $0 + pow($1 - mean, 4) } / Double(levels.count)
  }

  /// Returns the largest deviation from the mean of the extremes.
  static func deviation(_ levels: [Double]) -> Double {
    ((levels.max() ?? 0) - (levels.min() ?? 0)) / 2
  }

  /// Returns the greatest gain of the filters at any frequency.
  private static func loudest(_ filters: [FilterShape], _ rate: Double) -> Double {
    (0..<240).map { filters.response(at: 20 * pow(2, Double($0) / 24), rate: rate) }.max() ?? 0
  }
}
