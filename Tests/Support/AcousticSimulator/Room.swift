#if canImport(Glibc)
  internal import Glibc
#endif

/// An impulse response from a loudspeaker to a microphone: a direct path, a few reflections and a
/// tail of decaying noise (after J. Moorer, "About This Reverberation Business", 1979). A room
/// always has the same response.
public struct Room: Sendable, CaseIterable {
  public let name: String
  /// The time in which the tail decays by 60 dB.
  let reverberationSeconds: Double
  /// The level of the tail relative to the direct path.
  let tailDecibels: Double
  private let seed: UInt32

  /// A headset or a hand-held telephone.
  public static let close = Room(
    name: "close", reverberationSeconds: 0.06, tailDecibels: -12, seed: 11)
  /// A small furnished room.
  public static let office = Room(
    name: "office", reverberationSeconds: 0.25, tailDecibels: -6, seed: 12)
  /// A room for meetings, with a table and few curtains.
  public static let meetingRoom = Room(
    name: "meeting room", reverberationSeconds: 0.4, tailDecibels: -4, seed: 14)
  /// A hall with bare walls.
  public static let hall = Room(
    name: "hall", reverberationSeconds: 0.6, tailDecibels: -3, seed: 13)
  /// A hall with a loudspeaker far away from the microphone: there is more reverberation than direct sound.
  public static let farAcrossTheHall = Room(
    name: "far across the hall", reverberationSeconds: 0.8, tailDecibels: 9, seed: 15)
  /// The rooms that tests and benchmarks compare.
  public static let allCases = [close, office, hall]

  /// Returns the response at `hertz`, with a power of 1. It begins with the direct path.
  public func response(_ hertz: Int) -> [Float] {
    let count = Int(min(0.5, reverberationSeconds) * Double(hertz))
    var noise = SeededNoise(seed)
    var response = [Double](repeating: 0, count: count)
    let decay = 3 * log(10) / (reverberationSeconds * Double(hertz))
    var tailPower = 0.0
    for index in (hertz / 400)..<count {
      response[index] = Double(noise.next()) * exp(-decay * Double(index))
      tailPower += response[index] * response[index]
    }
    let tail = (pow(10, tailDecibels / 10) / tailPower).squareRoot()
    for index in response.indices { response[index] *= tail }
    response[0] = 1
    for (milliseconds, gain) in [(1.1, -0.4), (2.7, 0.3), (4.3, -0.25), (6.8, 0.2)] {
      response[Int(milliseconds * Double(hertz) / 1000)] += gain * pow(10, tailDecibels / 20) * 2
    }
    let power = response.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return response.map { Float($0 / power) }
  }
}

/// White noise, uniform in -1...1. The same seed produces the same noise.
public struct SeededNoise: Sendable {
  private var state: UInt64

  public init(_ seed: UInt32) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  public mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(1 << 31)
  }
}
