public import AudioCore
internal import LinuxSystem
internal import Synchronization
#if canImport(Glibc)
  internal import Glibc
#endif

/// Head-related impulse responses at one rate, on a grid of directions that are 5° apart: for each
/// direction and ear a filter, and the delay that comes before it.
///
/// A set never changes, and any number of renderers share it.
public final class HeadRelatedSet: @unchecked Sendable {
  private static let degreesPerStep: Float = 5
  private static let azimuthSteps = 72
  private static let elevationSteps = 36

  public let rate: SampleRate
  /// The length of the filters in samples.
  public let taps: Int
  /// The greatest delay before a filter, in samples.
  private(set) var longestOnset: Float = 0
  private let filters: FloatBuffer
  private let onsets: FloatBuffer
  private let levels: FloatBuffer
  /// The SHA-256 digest of the rate, the filters and the delays, in hexadecimal digits. Renderers with
  /// sets of the same digest produce the same bits.
  public private(set) var digest = ""

  /// The filters last 5.8 ms.
  static func taps(at rate: SampleRate) -> Int { rate.samplesPerFrame * 58 / 100 }

  /// Creates a set. A white noise straight ahead is as loud as without a filter.
  init(_ aligned: AlignedResponses, rate: SampleRate) {
    self.rate = rate
    taps = aligned.taps
    let count = (Self.elevationSteps + 1) * Self.azimuthSteps
    filters = FloatBuffer(count * 2 * taps)
    onsets = FloatBuffer(count * 2)
    levels = FloatBuffer(count * 2)
    for row in 0...Self.elevationSteps {
      for column in 0..<Self.azimuthSteps {
        let placement = Placement(
          azimuth: Float(column) * Self.degreesPerStep,
          elevation: Float(row) * Self.degreesPerStep - 90, distance: 1)
        fill(row * Self.azimuthSteps + column, aligned.neighbours(of: placement.vector), aligned)
      }
    }
    for index in 0..<onsets.count { longestOnset = max(longestOnset, onsets.start[index]) }
    scale()
    digest = makeDigest()
  }

  private func makeDigest() -> String {
    let digest = SHA256()
    withUnsafeBytes(of: UInt32(rate.hertz)) { digest.update($0) }
    digest.update(
      UnsafeRawBufferPointer(UnsafeBufferPointer(start: filters.start, count: filters.count)))
    digest.update(
      UnsafeRawBufferPointer(UnsafeBufferPointer(start: onsets.start, count: onsets.count)))
    return SHA256.hexadecimal(digest.value)
  }

  private func fill(
    _ point: Int, _ neighbours: [(index: Int, weight: Float)], _ aligned: AlignedResponses
  ) {
    for ear in 0..<2 {
      let target = filters.start + (2 * point + ear) * taps
      for (index, weight) in neighbours {
        let source = (2 * index + ear) * taps
        for tap in 0..<taps { target[tap] += weight * aligned.filters[source + tap] }
        onsets.start[2 * point + ear] += weight * aligned.onsets[2 * index + ear]
      }
    }
  }

  /// Scales all filters, and notes their levels.
  private func scale() {
    func energy(_ index: Int) -> Float {
      FloatBuffer.meanSquare(filters.start + index * taps, taps) * Float(taps)
    }
    let ahead = Self.elevationSteps / 2 * Self.azimuthSteps
    var loudest: Float = 0
    for index in 0..<levels.count { loudest = max(loudest, energy(index)) }
    // Of a set whose front is almost silent, no direction becomes louder than 40 dB.
    let factor = max(
      ((energy(2 * ahead) + energy(2 * ahead + 1)) / 2).squareRoot(), loudest.squareRoot() / 100)
    for index in 0..<filters.count { filters.start[index] /= max(factor, 1e-6) }
    for index in 0..<levels.count { levels.start[index] = energy(index).squareRoot() }
  }

  /// Four neighbours of a direction on the grid, and their weights.
  struct Place: Equatable {
    var points: SIMD4<Int32>
    var weights: SIMD4<Float>
  }

  /// Returns the place of a direction. Does not allocate.
  func place(of direction: SIMD3<Float>) -> Place {
    let length = (direction * direction).sum().squareRoot()
    guard length.isFinite, length > 1e-6 else { return place(of: [1, 0, 0]) }
    let elevation = asinf(max(-1, min(1, direction.z / length))) * 180 / .pi
    var azimuth = atan2f(direction.y, direction.x) * 180 / .pi
    if azimuth < 0 { azimuth += 360 }
    let row = max(0, min(Float(Self.elevationSteps), (elevation + 90) / Self.degreesPerStep))
    let column = azimuth / Self.degreesPerStep
    let (down, left) = (min(Int(row), Self.elevationSteps - 1), Int(column))
    let (up, right) = (row - Float(down), column - Float(left))
    let first = Int32(down * Self.azimuthSteps)
    let (here, next) = (
      Int32(left % Self.azimuthSteps), Int32((left + 1) % Self.azimuthSteps)
    )
    let above = first + Int32(Self.azimuthSteps)
    return Place(
      points: [first + here, first + next, above + here, above + next],
      weights: [(1 - up) * (1 - right), (1 - up) * right, up * (1 - right), up * right])
  }

  /// Writes the filter of an ear, times a factor. Does not allocate.
  func filter(
    _ place: Place, ear: Int, factor: Float, into filter: UnsafeMutablePointer<Float>
  ) {
    func source(_ corner: Int) -> UnsafePointer<Float> {
      UnsafePointer(filters.start + (2 * Int(place.points[corner]) + ear) * taps)
    }
    let (a, b, c, d) = (source(0), source(1), source(2), source(3))
    let weights = place.weights * factor
    for tap in 0..<taps {
      filter[tap] =
        weights[0] * a[tap] + weights[1] * b[tap] + weights[2] * c[tap] + weights[3] * d[tap]
    }
  }

  /// Returns the delay before the filter of an ear, in samples. Does not allocate.
  func onset(_ place: Place, ear: Int) -> Float { mean(onsets.start, place, ear) }

  /// Returns the level of the filter of an ear: the square root of its energy. Does not allocate.
  func level(_ place: Place, ear: Int) -> Float { mean(levels.start, place, ear) }

  private func mean(_ values: UnsafePointer<Float>, _ place: Place, _ ear: Int) -> Float {
    var sum: Float = 0
    for corner in 0..<4 {
      sum += place.weights[corner] * values[2 * Int(place.points[corner]) + ear]
    }
    return sum
  }
}

extension HeadRelatedSet {
  /// The responses of the KEMAR manikin (W. G. Gardner and K. D. Martin, "HRTF Measurements of a KEMAR
  /// Dummy-Head Microphone", MIT Media Lab, 1994), which Debian's package libmysofa1 installs.
  public static let genericPath = "/usr/share/libmysofa/MIT_KEMAR_normal_pinna.sofa"

  private static let generic = Mutex<[SampleRate: HeadRelatedSet]>([:])

  /// Returns the generic set. The first call at each rate takes some tenths of a second.
  public static func generic(rate: SampleRate) throws(SOFAError) -> HeadRelatedSet {
    if let set = loadedGeneric(rate: rate) { return set }
    // Without the lock, so that nobody has to wait for it. Two sets of a rate are the same.
    let set = try HeadRelatedSet(sofaFile: genericPath, rate: rate)
    generic.withLock { $0[rate] = set }
    return set
  }

  /// Returns the generic set if `generic` has returned it before, at once.
  public static func loadedGeneric(rate: SampleRate) -> HeadRelatedSet? {
    generic.withLock { $0[rate] }
  }

  /// Reads a set from a SOFA file that can be trusted.
  public convenience init(sofaFile path: String, rate: SampleRate) throws(SOFAError) {
    let measured = try SOFAFile(path: path).responses(hertz: rate.hertz)
    self.init(try AlignedResponses(measured, taps: Self.taps(at: rate)), rate: rate)
  }

  /// Creates a set of a listener's own responses. The call takes some tenths of a second.
  public convenience init(_ responses: MeasuredResponses, rate: SampleRate) throws(SOFAError) {
    let measured = try responses.converted(hertz: rate.hertz)
    self.init(try AlignedResponses(measured, taps: Self.taps(at: rate)), rate: rate)
  }
}
