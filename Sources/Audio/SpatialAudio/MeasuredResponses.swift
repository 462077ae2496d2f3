/// Impulse responses of two ears, measured from many directions.
public struct MeasuredResponses: Sendable {
  /// The sampling rate of stored responses.
  public static let storedHertz = 48_000
  /// The accepted numbers of directions.
  public static let directionCounts = 1...20_000
  /// The accepted numbers of samples of a response.
  public static let lengths = 1...8192
  /// The largest encoded form in bytes.
  public static let largestSize = 32 << 20

  /// The greatest delay before a response: 50 ms.
  private static let longestDelay = Float(storedHertz) / 20
  /// The greatest magnitude of a sample and of a coordinate.
  private static let largestValue: Float = 10_000

  /// Vectors of any length, in the axes of `Placement`.
  let directions: [SIMD3<Float>]
  /// The number of samples of a response.
  public let length: Int
  /// For each direction, the response of the left ear and of the right ear.
  let samples: [Float]
  /// For each direction, the delay of the left and of the right response in samples.
  let delays: [Float]

  public var directionCount: Int { directions.count }

  init(directions: [SIMD3<Float>], length: Int, samples: [Float], delays: [Float]) {
    self.directions = directions
    self.length = length
    self.samples = samples
    self.delays = delays
  }

  /// Reads a SOFA file and converts it to `storedHertz`. A crafted file can harm the process: read
  /// files of others in a process of their own.
  public init(sofa bytes: UnsafeRawBufferPointer) throws(SOFAError) {
    self = try SOFAFile(bytes).responses(hertz: Self.storedHertz)
  }

  /// Returns the stored responses at another rate.
  func converted(hertz: Int) throws(SOFAError) -> MeasuredResponses {
    try SOFAFile(self, hertz: Self.storedHertz).converted(hertz: hertz)
  }
}

/// The encoded form. All numbers are little-endian and have 32 bits:
///
/// - "anechoir", the version 1, the sampling rate 48,000, the number of directions, the length,
/// - the coordinates x, y and z of each direction,
/// - the delays of both ears for each direction, in samples,
/// - the responses of both ears for each direction.
extension MeasuredResponses {
  private static let magic = Array("anechoir".utf8)
  private static let version: UInt32 = 1
  private static let headSize = 24

  /// Returns the encoded form, or nil if it would be larger than `largestSize` or contain a value out
  /// of range.
  public func encoded() -> [UInt8]? {
    let count = 5 * directions.count + samples.count
    guard count <= Self.largestSize / 4 else { return nil }
    var bytes = Self.magic
    bytes.reserveCapacity(Self.headSize + 4 * count)
    func append(_ value: UInt32) {
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    for value in [Self.version, UInt32(Self.storedHertz), UInt32(directions.count), UInt32(length)]
    {
      append(value)
    }
    for direction in directions {
      for axis in 0..<3 { append(direction[axis].bitPattern) }
    }
    for value in delays { append(value.bitPattern) }
    for value in samples { append(value.bitPattern) }
    return bytes
  }

  /// Decodes responses of a source that is not trusted. Throws unless every length and every value is
  /// valid.
  public init(encoded bytes: [UInt8]) throws(SOFAError) {
    guard bytes.count >= Self.headSize, bytes.count <= Self.largestSize,
      bytes.starts(with: Self.magic)
    else { throw SOFAError("has no responses in the stored form") }
    func word(_ index: Int) -> UInt32 {
      let place = 8 + 4 * index
      return UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
        | UInt32(bytes[place + 3]) << 24
    }
    let (count, length) = (Int(word(2)), Int(word(3)))
    guard word(0) == Self.version, word(1) == Self.storedHertz else {
      throw SOFAError("has responses of another version")
    }
    guard Self.directionCounts.contains(count) else {
      throw SOFAError("has \(count) directions; \(Self.directionCounts) are allowed")
    }
    guard Self.lengths.contains(length) else {
      throw SOFAError("has responses of \(length) samples at 48 kHz; \(Self.lengths) are allowed")
    }
    guard bytes.count == Self.headSize + 4 * (5 * count + 2 * count * length) else {
      throw SOFAError("has responses of the wrong size")
    }
    func floats(_ range: Range<Int>) -> [Float] {
      range.map { Float(bitPattern: word(4 + $0)) }
    }
    let places = floats(0..<3 * count)
    directions = (0..<count).map { SIMD3(places[3 * $0], places[3 * $0 + 1], places[3 * $0 + 2]) }
    delays = floats(3 * count..<5 * count)
    samples = floats(5 * count..<5 * count + 2 * count * length)
    self.length = length
    try check()
  }

  /// Throws unless all values are in range and every response has a sound.
  private func check() throws(SOFAError) {
    // A value that is not a number is not in range.
    guard
      directions.allSatisfy({
        $0.x.magnitude <= Self.largestValue && $0.y.magnitude <= Self.largestValue
          && $0.z.magnitude <= Self.largestValue && ($0 * $0).sum() > 1e-6
      })
    else { throw SOFAError("has a direction that is out of range") }
    guard delays.allSatisfy({ $0 >= 0 && $0 <= Self.longestDelay }) else {
      throw SOFAError("has a delay of less than 0 or more than 50 ms")
    }
    guard samples.allSatisfy({ $0.magnitude <= Self.largestValue }) else {
      throw SOFAError("has a response that is out of range")
    }
    for first in stride(from: 0, to: samples.count, by: length) {
      guard samples[first..<first + length].contains(where: { $0.magnitude > 1e-9 }) else {
        throw SOFAError("has a response without sound")
      }
    }
  }
}
