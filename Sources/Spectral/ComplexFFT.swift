#if canImport(Glibc)
  internal import Glibc
#endif

/// The discrete Fourier transform of complex values, with real and imaginary parts in arrays of
/// their own: passes of radix 4, then of 2, 3 and 5 where the size has these factors, that leave
/// the values in order (T. Stockham, "High-Speed Convolution and Correlation", 1966). Four values
/// at a time.
struct ComplexFFT: ~Copyable {
  /// Values in two arrays.
  struct Values {
    var real: UnsafeMutablePointer<Float>
    var imaginary: UnsafeMutablePointer<Float>

    /// The same values with the two parts exchanged: transformed like that, they are transformed
    /// back.
    var exchanged: Values { Values(real: imaginary, imaginary: real) }

    func advanced(by count: Int) -> Values {
      Values(real: real + count, imaginary: imaginary + count)
    }
  }

  static let smallestSize = 16

  let size: Int
  /// For the caller to fill before a transform.
  let input: Values
  private let output: Values
  private let memory: FloatBuffer
  /// For each pass the first powers of its roots of unity: real parts, then imaginary parts.
  private let roots: FloatBuffer

  /// Plans transforms of `size` values, a product of 16 and of powers of 2, 3 and 5.
  init(size: Int) {
    precondition(Self.isPossible(size), "not a product of 16 and of powers of 2, 3 and 5")
    self.size = size
    memory = FloatBuffer(4 * size)
    input = Values(real: memory.start, imaginary: memory.start + size)
    output = Values(real: memory.start + 2 * size, imaginary: memory.start + 3 * size)
    roots = FloatBuffer(Self.rootCount(size))
    var next = roots.start
    var length = size
    while length > 1 {
      let radix = Self.radix(length)
      let part = length / radix
      for power in 1..<radix {
        for index in 0..<part {
          let angle = -2 * Double.pi * Double(power * index) / Double(length)
          next[2 * (power - 1) * part + index] = Float(cos(angle))
          next[(2 * power - 1) * part + index] = Float(sin(angle))
        }
      }
      next += 2 * (radix - 1) * part
      length = part
    }
  }

  static func isPossible(_ size: Int) -> Bool {
    guard size >= smallestSize && size.isMultiple(of: 16) else { return false }
    var rest = size
    for factor in [2, 3, 5] {
      while rest.isMultiple(of: factor) { rest /= factor }
    }
    return rest == 1
  }

  /// The radix of the pass that takes transforms of this length apart.
  private static func radix(_ length: Int) -> Int {
    length.isMultiple(of: 4) ? 4 : length.isMultiple(of: 2) ? 2 : length.isMultiple(of: 3) ? 3 : 5
  }

  private static func rootCount(_ size: Int) -> Int {
    var (count, length) = (0, size)
    while length > 1 {
      let radix = radix(length)
      count += 2 * (radix - 1) * (length / radix)
      length /= radix
    }
    return count
  }

  /// Transforms the values in `input`. Returns where the result is, until the next call. Does not
  /// allocate.
  func transform() -> Values { transform(input, output) }

  /// Transforms the values in `input` back, scaled by `size`.
  func transformBack() -> Values { transform(input.exchanged, output.exchanged).exchanged }

  private func transform(_ input: Values, _ output: Values) -> Values {
    var (source, target) = (input, output)
    firstPass(source, target)
    interleaveQuarters(target.real, source.real)
    interleaveQuarters(target.imaginary, source.imaginary)
    var roots = UnsafePointer(roots.start) + 6 * (size / 4)
    var (length, stride) = (size / 4, 4)
    while length > 1 {
      let radix = Self.radix(length)
      switch radix {
      case 4: pass(source, target, length, stride, roots)
      case 2: pass(source, target, length, stride, roots, Four.butterflyOfTwo)
      case 3: pass(source, target, length, stride, roots, Four.butterflyOfThree)
      default: pass(source, target, length, stride, roots, Four.butterflyOfFive)
      }
      swap(&source, &target)
      roots += 2 * (radix - 1) * (length / radix)
      (length, stride) = (length / radix, stride * radix)
    }
    return source
  }

  /// Four neighbouring butterflies at a time. Leaves their first results together, then their
  /// second results, and so on.
  private func firstPass(_ source: Values, _ target: Values) {
    let quarter = size / 4
    let roots = UnsafePointer(roots.start)
    var index = 0
    while index < quarter {
      let results = Four.butterfly(
        Four(source, index), Four(source, index + quarter), Four(source, index + 2 * quarter),
        Four(source, index + 3 * quarter))
      results.0.store(target, index)
      results.1.turned(by: Four(roots + index, quarter)).store(target, index + quarter)
      results.2.turned(by: Four(roots + index + 2 * quarter, quarter))
        .store(target, index + 2 * quarter)
      results.3.turned(by: Four(roots + index + 4 * quarter, quarter))
        .store(target, index + 3 * quarter)
      index += 4
    }
  }

  /// Brings the four results of each butterfly together. In the first pass itself this would make
  /// the compiler calculate value by value.
  private func interleaveQuarters(
    _ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>
  ) {
    let quarter = size / 4
    var index = 0
    while index < quarter {
      let row = source + index
      let (first, second) = (
        SIMD4.paired(.load(row), .load(row + quarter)),
        SIMD4.paired(.load(row + 2 * quarter), .load(row + 3 * quarter))
      )
      let even = SIMD4.paired(first.even, second.even)
      let odd = SIMD4.paired(first.odd, second.odd)
      even.even.store(target + 4 * index)
      odd.even.store(target + 4 * index + 4)
      even.odd.store(target + 4 * index + 8)
      odd.odd.store(target + 4 * index + 12)
      index += 4
    }
  }

  /// `stride` butterflies with the same roots, four at a time.
  private func pass(
    _ source: Values, _ target: Values, _ length: Int, _ stride: Int, _ roots: UnsafePointer<Float>
  ) {
    let quarter = length / 4
    for place in 0..<quarter {
      let (from, to) = (stride * place, 4 * stride * place)
      var index = 0
      // The roots of the first place are 1.
      let firstRoot = Four(repeating: roots + place, quarter)
      let secondRoot = Four(repeating: roots + place + 2 * quarter, quarter)
      let thirdRoot = Four(repeating: roots + place + 4 * quarter, quarter)
      while index < stride {
        var (first, second, third, fourth) = Four.butterfly(
          Four(source, from + index), Four(source, from + index + stride * quarter),
          Four(source, from + index + 2 * stride * quarter),
          Four(source, from + index + 3 * stride * quarter))
        if place > 0 {
          second = second.turned(by: firstRoot)
          third = third.turned(by: secondRoot)
          fourth = fourth.turned(by: thirdRoot)
        }
        first.store(target, to + index)
        second.store(target, to + index + stride)
        third.store(target, to + index + 2 * stride)
        fourth.store(target, to + index + 3 * stride)
        index += 4
      }
    }
  }

  /// `stride` butterflies of another radix with the same roots, four at a time.
  @inline(__always)
  private func pass<let radix: Int>(
    _ source: Values, _ target: Values, _ length: Int, _ stride: Int, _ roots: UnsafePointer<Float>,
    _ butterfly: (InlineArray<radix, Four>) -> InlineArray<radix, Four>
  ) {
    let part = length / radix
    for place in 0..<part {
      let (from, to) = (stride * place, radix * stride * place)
      var index = 0
      while index < stride {
        let results = butterfly(
          InlineArray { Four(source, from + index + $0 * stride * part) })
        results[0].store(target, to + index)
        for power in 1..<radix {
          // The roots of the first place are 1.
          let root = Four(repeating: roots + place + 2 * (power - 1) * part, part)
          (place > 0 ? results[power].turned(by: root) : results[power])
            .store(target, to + index + power * stride)
        }
        index += 4
      }
    }
  }
}

/// Four complex values.
struct Four {
  var real: SIMD4<Float>
  var imaginary: SIMD4<Float>

  @inline(__always)
  init(_ real: SIMD4<Float>, _ imaginary: SIMD4<Float>) {
    (self.real, self.imaginary) = (real, imaginary)
  }

  @inline(__always)
  init(_ values: ComplexFFT.Values, _ index: Int) {
    self.init(.load(values.real + index), .load(values.imaginary + index))
  }

  /// Loads the real parts at `start` and the imaginary parts `distance` further on.
  @inline(__always)
  init(_ start: UnsafePointer<Float>, _ distance: Int) {
    self.init(.load(start), .load(start + distance))
  }

  @inline(__always)
  init(repeating start: UnsafePointer<Float>, _ distance: Int) {
    self.init(SIMD4(repeating: start[0]), SIMD4(repeating: start[distance]))
  }

  @inline(__always)
  func store(_ values: ComplexFFT.Values, _ index: Int) {
    real.store(values.real + index)
    imaginary.store(values.imaginary + index)
  }

  @inline(__always)
  static func + (left: Four, right: Four) -> Four {
    Four(left.real + right.real, left.imaginary + right.imaginary)
  }

  @inline(__always)
  static func - (left: Four, right: Four) -> Four {
    Four(left.real - right.real, left.imaginary - right.imaginary)
  }

  @inline(__always)
  static func * (factor: Float, right: Four) -> Four {
    Four(factor * right.real, factor * right.imaginary)
  }

  /// The products with -i.
  @inline(__always)
  var turnedBack: Four { Four(imaginary, -real) }

  @inline(__always)
  var halved: Four { Four(0.5 * real, 0.5 * imaginary) }

  /// The complex conjugates in reverse order.
  @inline(__always)
  var mirrored: Four { Four(real.reversed, -imaginary.reversed) }

  /// Returns the products with four other values.
  @inline(__always)
  func turned(by root: Four) -> Four {
    Four(
      real * root.real - imaginary * root.imaginary, real * root.imaginary + imaginary * root.real)
  }

  /// Returns the transforms of four values, four times.
  @inline(__always)
  static func butterfly(
    _ first: Four, _ second: Four, _ third: Four, _ fourth: Four
  ) -> (Four, Four, Four, Four) {
    let (sumOfEven, differenceOfEven) = (first + third, first - third)
    let (sumOfOdd, differenceOfOdd) = (second + fourth, second - fourth)
    let turned = differenceOfOdd.turnedBack
    return (
      sumOfEven + sumOfOdd, differenceOfEven + turned, sumOfEven - sumOfOdd,
      differenceOfEven - turned
    )
  }

  @inline(__always)
  static func butterflyOfTwo(_ values: InlineArray<2, Four>) -> InlineArray<2, Four> {
    [values[0] + values[1], values[0] - values[1]]
  }

  @inline(__always)
  static func butterflyOfThree(_ values: InlineArray<3, Four>) -> InlineArray<3, Four> {
    let sum = values[1] + values[2]
    let middle = values[0] - 0.5 * sum
    let turned = 0.866_025_4 * (values[1] - values[2]).turnedBack
    return [values[0] + sum, middle + turned, middle - turned]
  }

  @inline(__always)
  static func butterflyOfFive(_ values: InlineArray<5, Four>) -> InlineArray<5, Four> {
    let (outer, inner) = (values[1] + values[4], values[2] + values[3])
    let outerTurned = (values[1] - values[4]).turnedBack
    let innerTurned = (values[2] - values[3]).turnedBack
    // The cosines and sines of 72 and 144 degrees.
    let (cosine, cosineOfTwo): (Float, Float) = (0.309_016_99, -0.809_016_99)
    let (sine, sineOfTwo): (Float, Float) = (0.951_056_52, 0.587_785_25)
    let first = values[0] + cosine * outer + cosineOfTwo * inner
    let second = values[0] + cosineOfTwo * outer + cosine * inner
    let firstTurned = sine * outerTurned + sineOfTwo * innerTurned
    let secondTurned = sineOfTwo * outerTurned - sine * innerTurned
    return [
      values[0] + outer + inner, first + firstTurned, second + secondTurned, second - secondTurned,
      first - firstTurned,
    ]
  }
}

extension SIMD4<Float> {
  @inline(__always)
  static func load(_ start: UnsafePointer<Float>) -> Self {
    UnsafeRawPointer(start).loadUnaligned(as: Self.self)
  }

  @inline(__always)
  func store(_ start: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(start).storeBytes(of: self, as: Self.self)
  }

  @inline(__always)
  var reversed: Self { Self(w, z, y, x) }

  /// The values with even and with odd indexes of two vectors in a row.
  @inline(__always)
  static func paired(_ low: Self, _ high: Self) -> (even: Self, odd: Self) {
    let both = SIMD8(lowHalf: low, highHalf: high)
    return (both.evenHalf, both.oddHalf)
  }
}
