#if canImport(Glibc)
  internal import Glibc
#endif

/// A range of values with the places of its labels.
package struct Axis: Sendable {
  package let range: ClosedRange<Double>
  package let ticks: [Tick]

  /// A label and its place.
  package struct Tick: Sendable, Equatable {
    package let value: Double
    package let label: String
  }

  /// Creates an axis of numbers. There are at most `count` ticks, at 1, 2 or 5 times a power of ten.
  package init(_ range: ClosedRange<Double>, ticks count: Int) {
    self.range = range
    let step = Self.step(range, count)
    let digits = max(0, Int(-floor(log10(step) + 1e-9)))
    ticks = Self.multiples(of: step, in: range).map { Tick(value: $0, label: $0.fixed(digits)) }
  }

  /// Creates an axis of time from 0 to `duration` in seconds. Labels have minutes and hours where
  /// the duration has them.
  package init(time duration: Double, ticks count: Int) {
    range = 0...duration
    let steps: [Double] = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600]
    let numeric = Self.step(range, count)
    let step = numeric <= 30 ? numeric : steps.first { duration / $0 <= Double(count) } ?? 43_200
    let digits = max(0, Int(-floor(log10(step) + 1e-9)))
    ticks = Self.multiples(of: step, in: range).map {
      Tick(value: $0, label: Clock.text($0, digits: digits, longest: duration))
    }
  }

  /// Returns the place of a value, 0 at the lower bound and 1 at the upper. Values outside have the
  /// place of the nearest bound.
  package func place(_ value: Double) -> Double {
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    return min(1, max(0, share))
  }

  private static func step(_ range: ClosedRange<Double>, _ count: Int) -> Double {
    let least = (range.upperBound - range.lowerBound) / Double(count)
    let power = pow(10, floor(log10(least)))
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * (1 - 1e-9) } ?? 10 * power
  }

  private static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
    let first = Int((range.lowerBound / step - 1e-9).rounded(.up))
    let last = Int((range.upperBound / step + 1e-9).rounded(.down))
    return first <= last ? (first...last).map { Double($0) * step } : []
  }
}

/// Times of a report in words.
package enum Clock {
  /// Returns a time as seconds, as minutes and seconds, or as hours, minutes and seconds, by the
  /// length of the longest time beside it.
  package static func text(_ seconds: Double, digits: Int, longest: Double) -> String {
    guard longest >= 60 else { return seconds.fixed(digits) }
    let power = pow(10, Double(digits))
    let rounded = (seconds * power).rounded() / power
    let whole = Int(rounded)
    let rest = rounded - Double(whole / 60 * 60)
    let end = (rest < 10 ? "0" : "") + rest.fixed(digits)
    guard longest >= 3600 else { return "\(whole / 60):\(end)" }
    let minutes = whole / 60 % 60
    return "\(whole / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(end)"
  }
}

extension Double {
  /// Returns the number with this many digits after the point, and without a minus before zero.
  package func fixed(_ digits: Int) -> String {
    let power = pow(10, Double(digits))
    let scaled = (self * power).rounded()
    guard scaled.isFinite, scaled.magnitude < 1e15 else { return "\(self)" }
    let whole = Int(scaled.magnitude)
    let unit = Int(power)
    var text = (scaled < 0 ? "-" : "") + "\(whole / unit)"
    if digits > 0 {
      let rest = "\(whole % unit)"
      text += "." + String(repeating: "0", count: digits - rest.count) + rest
    }
    return text
  }
}
