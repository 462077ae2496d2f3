/// The duration of Opus packets, read from their first bytes (RFC 6716, section 3.1), and packets of
/// silence. Needs no codec.
public enum OpusPacket {
  /// The unit of all durations of Opus: 2.5 ms.
  private static let unitsPerSecond = 400
  /// The longest packet in units: 120 ms.
  private static let longestUnits = 48

  /// Returns the number of samples of each channel that a packet decodes to at a rate in Hz, or 0 if it
  /// has no valid duration.
  public static func sampleCount(of packet: some Collection<UInt8>, rate: Int) -> Int {
    guard let head = packet.first else { return 0 }
    let frames: Int
    switch head & 3 {
    case 0: frames = 1
    case 1, 2: frames = 2
    default:
      guard let count = packet.dropFirst().first else { return 0 }
      frames = Int(count & 0x3F)
    }
    let units = frames * unitsPerFrame(head >> 3)
    return units <= longestUnits ? units * rate / unitsPerSecond : 0
  }

  /// Returns a packet of digital silence with one channel. It decodes to `samples` samples at
  /// `rate` Hz: a multiple of 2.5 ms, up to 120 ms.
  public static func silence(samples: Int, rate: Int) -> [UInt8] {
    let units = samples * unitsPerSecond / rate
    guard (1...longestUnits).contains(units) else { return [] }
    // Full-band CELT with frames of 20, 10, 5 or 2.5 ms, as long as possible, and as many as needed.
    let (configuration, frameUnits): (UInt8, Int) =
      units % 8 == 0 ? (31, 8) : units % 4 == 0 ? (30, 4) : units % 2 == 0 ? (29, 2) : (28, 1)
    let frames = units / frameUnits
    var packet = [configuration << 3 | 3, UInt8(frames)]
    // The first bit that the range decoder reads says that the frame is silent.
    for _ in 0..<frames { packet += [0xFF, 0xFE] }
    return packet
  }

  /// Returns the duration of a frame in units, by the configuration number of its packet.
  private static func unitsPerFrame(_ configuration: UInt8) -> Int {
    switch configuration {
    case 0..<12: [4, 8, 16, 24][Int(configuration & 3)]  // SILK
    case 12..<16: configuration & 1 == 0 ? 4 : 8  // Hybrid
    default: 1 << Int(configuration & 3)  // CELT
    }
  }
}
