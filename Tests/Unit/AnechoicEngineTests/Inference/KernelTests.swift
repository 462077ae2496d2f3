import AnechoicEngine
import AudioCore
import CKernels
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// All kernels that this machine can run, compared with the same formulas in double precision.
struct KernelTests {
  private static let count = 176

  private func row(_ seed: UInt32, times factor: Float = 4, rows: Int = 1) -> [Float] {
    Signals.noise(rows * Self.count, seed: seed).map { $0 * factor }
  }

  private func expect(
    _ found: [Float], _ wanted: [Double], within tolerance: Double, _ kernels: Kernels
  ) {
    let worst = zip(found, wanted).map { abs(Double($0) - $1) / max(1, abs($1)) }.max() ?? .nan
    #expect(worst <= tolerance, "\(kernels)")
  }

  @Test(arguments: Kernels.available)
  func functionsAreExact(kernels: Kernels) {
    let input = row(1, times: 30)
    var output = input
    kernels.table.exponential(input, &output, Int32(Self.count))
    expect(output, input.map { exp(Double($0)) }, within: 1e-6, kernels)
    kernels.table.hyperbolic_tangent(input, &output, Int32(Self.count))
    expect(output, input.map { tanh(Double($0)) }, within: 1e-6, kernels)
    kernels.table.sigmoid(input, &output, Int32(Self.count))
    expect(output, input.map { 1 / (1 + exp(-Double($0))) }, within: 1e-6, kernels)
    let powers = input.map { $0 * $0 }
    kernels.table.logarithm(powers, 1e-7, &output, Int32(Self.count))
    expect(output, powers.map { log(Double($0) + 1e-7) }, within: 1e-5, kernels)
  }

  @Test(arguments: Kernels.available)
  func functionsOfExtremesAreFinite(kernels: Kernels) {
    let input: [Float] =
      [-.greatestFiniteMagnitude, -1000, -87, 0, 87, 1000, .greatestFiniteMagnitude]
      + [Float](repeating: 0, count: 9)
    var output = input
    for function in [
      kernels.table.exponential, kernels.table.hyperbolic_tangent, kernels.table.sigmoid,
    ] {
      function?(input, &output, 16)
      #expect(output.allSatisfy { $0.isFinite })
    }
    kernels.table.logarithm(input.map(abs), 1e-7, &output, 16)
    #expect(output.allSatisfy { $0.isFinite })
  }

  @Test(arguments: Kernels.available)
  func aSumOfSquaresHasTheSameBitsEverywhere(kernels: Kernels) {
    let values = Array(row(1).dropLast(3))
    let sum = kernels.table.sum_of_squares(values, Int32(values.count))
    #expect(sum == Kernels.baseline.table.sum_of_squares(values, Int32(values.count)))
    expect([sum], [values.reduce(0.0) { $0 + Double($1) * Double($1) }], within: 1e-6, kernels)
  }

  @Test(arguments: Kernels.available)
  func aPeakIsTheLargestMagnitude(kernels: Kernels) {
    var values = row(1)
    for place in [3, 8, Self.count - 1] {
      values[place] = place == 8 ? 5 : -5.5
      #expect(kernels.table.peak(values, Int32(Self.count)) == values.map(abs).max())
    }
    values[50] = .nan
    #expect(kernels.table.peak(values, Int32(Self.count)).isNaN)
    #expect(kernels.table.peak(values, 0) == 0)
  }

  @Test(arguments: Kernels.available)
  func arraysAreMultipliedAndSubtracted(kernels: Kernels) {
    let (a, b) = (row(1), row(2))
    var output = a
    kernels.table.subtract(a, b, 3, &output, Int32(Self.count))
    #expect(output == zip(a, b).map { min(max($0 - $1, -3), 3) })
    output = a
    output.withUnsafeMutableBufferPointer {
      kernels.table.multiply($0.baseAddress, b, $0.baseAddress, Int32(Self.count))
    }
    #expect(output == zip(a, b).map { $0 * $1 })
  }

  @Test(arguments: Kernels.available)
  func aCrossSpectrumIsSmoothed(kernels: Kernels) {
    let (a, b, start) = (row(1, rows: 2), row(2, rows: 2), row(3, rows: 2))
    let mean = FloatBuffer(2 * Self.count)
    mean.start.update(from: start, count: 2 * Self.count)
    func part(_ values: UnsafePointer<Float>) -> ck_complex {
      ck_complex(real: values, imaginary: values + Self.count)
    }
    let target = ck_mutable_complex(real: mean.start, imaginary: mean.start + Self.count)
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        kernels.table.smooth_cross(
          part(a.baseAddress!), part(b.baseAddress!), 0.25, target, Int32(Self.count))
      }
    }
    for bin in 0..<Self.count {
      let (p, q) = (a[bin], a[bin + Self.count])
      let (r, s) = (b[bin], b[bin + Self.count])
      let real = start[bin] + 0.25 * (p * r + q * s - start[bin])
      let imaginary = start[bin + Self.count] + 0.25 * (q * r - p * s - start[bin + Self.count])
      #expect(abs(mean.start[bin] - real) < 1e-4)
      #expect(abs(mean.start[bin + Self.count] - imaginary) < 1e-4)
    }
  }

  @Test(arguments: Kernels.available)
  func aCorrelationIsASumOfProducts(kernels: Kernels) {
    let (values, others) = (row(1), row(2, rows: 2))
    let sums = FloatBuffer(8)
    kernels.correlate(values, others, count: Self.count, into: sums)
    let wanted = (0..<8).map { place in
      (0..<Self.count).reduce(0.0) { $0 + Double(values[$1]) * Double(others[$1 + place]) }
    }
    expect((0..<8).map { sums.start[$0] }, wanted, within: 1e-5, kernels)
  }

  @Test(arguments: Kernels.available)
  func aFilterReadsTheSamplesBefore(kernels: Kernels) {
    let (input, taps) = (row(1), row(2).prefix(11))
    let coefficients = FloatBuffer(taps.count)
    for (index, tap) in taps.enumerated() { coefficients.start[index] = tap }
    let output = FloatBuffer(Self.count - 16)
    input.withUnsafeBufferPointer {
      kernels.filter($0.baseAddress! + 16, coefficients, into: output)
    }
    let wanted = (0..<output.count).map { index in
      taps.enumerated().reduce(0.0) {
        $0 + Double($1.element) * Double(input[16 + index - $1.offset])
      }
    }
    expect((0..<output.count).map { output.start[$0] }, wanted, within: 1e-5, kernels)
  }

  @Test(arguments: Kernels.available)
  func aLayerIsAProductWithAMatrix(kernels: Kernels) {
    let (rows, inputs, count) = (8, 5, Self.count)
    let weights = Array(row(1).prefix(rows * inputs))
    let bias = Array(row(2).prefix(16))
    let input = row(3, rows: inputs)
    var output = row(4, rows: rows)
    let layer = Layer(weights: weights, bias: Array(bias.prefix(rows)), inputs: inputs)
    input.withUnsafeBufferPointer {
      layer.apply(
        to: RowTable($0.baseAddress!, count: inputs, stride: count), columns: count,
        into: &output, stride: count, kernels)
    }
    let wanted = (0..<rows * count).map { index -> Double in
      let (row, column) = (index / count, index % count)
      var sum = Double(bias[row])
      for index in 0..<inputs {
        sum += Double(weights[row * inputs + index]) * Double(input[index * count + column])
      }
      return sum
    }
    expect(output, wanted, within: 1e-5, kernels)
    var one = [Float](repeating: 0, count: 16)
    let transposed = row(5, rows: 1)
    kernels.table.layer_of_column(transposed, bias, Array(input.prefix(11)), &one, 16, 11)
    let ofOne = (0..<16).map { row -> Double in
      var sum = Double(bias[row])
      for index in 0..<11 { sum += Double(transposed[index * 16 + row]) * Double(input[index]) }
      return sum
    }
    expect(one, ofOne, within: 1e-5, kernels)
  }

  @Test(arguments: Kernels.available)
  func gatesAreThoseOfARecurrentUnit(kernels: Kernels) {
    let count = Self.count
    let (fromInput, fromState) = (row(1, rows: 3), row(2, rows: 3))
    let before = row(3)
    var state = before
    kernels.table.gru(fromInput, fromState, &state, Int32(count))
    let wanted = (0..<count).map { index -> Double in
      func gate(_ row: Int) -> Double {
        1 / (1 + exp(-Double(fromInput[row * count + index] + fromState[row * count + index])))
      }
      let candidate = tanh(
        Double(fromInput[2 * count + index]) + gate(0) * Double(fromState[2 * count + index]))
      return (1 - gate(1)) * candidate + gate(1) * Double(before[index])
    }
    expect(state, wanted, within: 1e-5, kernels)
  }

  @Test(arguments: Kernels.available)
  func complexProductsAddUp(kernels: Kernels) {
    let (count, pairs, first) = (Self.count, 3, 16)
    let (a, b) = (row(1, rows: 2 * pairs), row(2, rows: 2 * pairs))
    var sum = row(3, rows: 2)
    let before = sum
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        sum.withUnsafeMutableBufferPointer { sum in
          func spectra(_ rows: UnsafeBufferPointer<Float>) -> [ck_complex] {
            (0..<pairs).map {
              let start = rows.baseAddress! + 2 * $0 * count
              return ck_complex(real: start, imaginary: start + count)
            }
          }
          kernels.table.sum_of_products(
            spectra(a), spectra(b), Int32(pairs),
            ck_mutable_complex(real: sum.baseAddress!, imaginary: sum.baseAddress! + count),
            Int32(first), Int32(count - first))
        }
      }
    }
    let wanted = (0..<2 * count).map { index -> Double in
      let bin = index % count
      guard bin >= first else { return Double(before[index]) }
      return (0..<pairs).reduce(0) { total, pair in
        let (real, imaginary) = (2 * pair * count + bin, (2 * pair + 1) * count + bin)
        let (x, y) = (Double(a[real]), Double(a[imaginary]))
        let (u, v) = (Double(b[real]), Double(b[imaginary]))
        return total + (index < count ? x * u - y * v : x * v + y * u)
      }
    }
    expect(sum, wanted, within: 1e-5, kernels)
  }
}
