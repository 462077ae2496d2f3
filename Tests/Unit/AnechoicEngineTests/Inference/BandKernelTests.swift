import AudioCore
import CKernels
import TestAudio
import Testing

/// The kernels for the partitions of an adaptive filter, compared with the same formulas in double
/// precision.
struct BandKernelTests {
  private static let (count, distance, partitions, newest) = (32, 40, 3, 2)

  /// A filter whose newest reference is in the middle of the ring.
  private struct Filter {
    var filters = Signals.noise(2 * partitions * distance, seed: 1)
    var uncertainty = Signals.noise(partitions * count, seed: 2).map { $0 * $0 }
    var references = Signals.noise(2 * (partitions + 1) * count, seed: 3)

    mutating func use(_ body: (UnsafePointer<ck_band>) -> Void) {
      filters.withUnsafeMutableBufferPointer { filters in
        uncertainty.withUnsafeMutableBufferPointer { uncertainty in
          references.withUnsafeMutableBufferPointer { references in
            let band = ck_band(
              partitions: Int32(partitions), count: Int32(count), filters: filters.baseAddress,
              filter_distance: Int32(distance), uncertainty: uncertainty.baseAddress,
              references: references.baseAddress, newest: Int32(newest))
            withUnsafePointer(to: band, body)
          }
        }
      }
    }

    func filter(_ partition: Int, _ bin: Int) -> (Double, Double) {
      let place = 2 * partition * distance + bin
      return (Double(filters[place]), Double(filters[place + distance]))
    }
    func reference(_ partition: Int, _ bin: Int) -> (Double, Double) {
      let place = 2 * ((newest + partition) % (partitions + 1)) * count + bin
      return (Double(references[place]), Double(references[place + count]))
    }
    func sum(_ bin: Int, _ term: (Int) -> Double) -> Double {
      (0..<partitions).reduce(0) { $0 + term($1) }
    }
  }

  private func expect(_ found: Float, _ wanted: Double, _ kernels: Kernels) {
    #expect(abs(Double(found) - wanted) < 1e-5 * max(1, abs(wanted)), "\(kernels)")
  }

  @Test(arguments: Kernels.available, [0, 1])
  func theEchoIsTheSumOverAllPartitions(kernels: Kernels, framesAgo: Int) {
    var filter = Filter()
    var echo = Signals.noise(2 * Self.count)
    echo.withUnsafeMutableBufferPointer { echo in
      let start = echo.baseAddress!
      filter.use {
        kernels.table.estimate(
          $0, Int32(framesAgo), ck_mutable_complex(real: start, imaginary: start + Self.count))
      }
    }
    for bin in 0..<Self.count {
      func product(_ partition: Int) -> (Double, Double) {
        let (w, x) = (filter.filter(partition, bin), filter.reference(partition + framesAgo, bin))
        return (w.0 * x.0 - w.1 * x.1, w.0 * x.1 + w.1 * x.0)
      }
      expect(echo[bin], filter.sum(bin) { product($0).0 }, kernels)
      expect(echo[Self.count + bin], filter.sum(bin) { product($0).1 }, kernels)
    }
  }

  @Test(arguments: Kernels.available)
  func theUncertaintyGivesTheExpectedPower(kernels: Kernels) {
    var filter = Filter()
    var (expected, level) = (Signals.noise(Self.count), Signals.noise(Self.count))
    filter.use { kernels.table.expected_error($0, &expected, 0.1, &level) }
    for bin in 0..<Self.count {
      let error = filter.sum(bin) {
        power(filter.reference($0, bin)) * Double(filter.uncertainty[$0 * Self.count + bin])
      }
      expect(expected[bin], 0.5 * error, kernels)
      expect(level[bin], 0.1 * filter.sum(bin) { power(filter.filter($0, bin)) }, kernels)
    }
  }

  @Test(arguments: Kernels.available)
  func allPartitionsLearnFromTheError(kernels: Kernels) {
    let (count, decay, keep) = (Self.count, 0.5, 0.75)
    var filter = Filter()
    let before = filter
    let error = Signals.noise(2 * count, seed: 4)
    // Small divisors, so that some gains are too great.
    let divisor = Signals.noise(count, seed: 5).map { abs($0) + 0.05 }
    let (processNoise, level) = (Signals.noise(count, seed: 6), Signals.noise(count, seed: 7))
    error.withUnsafeBufferPointer { error in
      let start = error.baseAddress!
      filter.use {
        kernels.table.adapt(
          $0, ck_complex(real: start, imaginary: start + count), divisor, processNoise, level,
          Float(decay), Float(keep))
      }
    }
    for bin in 0..<count {
      var level = Double(level[bin])
      let (a, b) = (Double(error[bin]), Double(error[count + bin]))
      for partition in 0..<Self.partitions {
        let place = partition * count + bin
        let (w, x) = (before.filter(partition, bin), before.reference(partition, bin))
        let uncertainty = Double(before.uncertainty[place])
        let gain = uncertainty / Double(divisor[bin])
        let found = (w.0 + gain * (x.0 * a + x.1 * b), w.1 + gain * (x.0 * b - x.1 * a))
        expect(Float(filter.filter(partition, bin).0), found.0, kernels)
        expect(Float(filter.filter(partition, bin).1), found.1, kernels)
        let left = max(0, 1 - 0.5 * gain * power(x)) * keep * uncertainty
        expect(
          filter.uncertainty[place], left + Double(processNoise[bin]) * (power(found) + level),
          kernels)
        level *= decay
      }
    }
  }

  private func power(_ value: (Double, Double)) -> Double {
    value.0 * value.0 + value.1 * value.1
  }
}
