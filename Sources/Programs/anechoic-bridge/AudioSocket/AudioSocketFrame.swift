/// A message of the AudioSocket protocol: a byte for the type, the length of the payload in two bytes
/// (big-endian), and the payload.
///
/// Source: the documentation of Asterisk's channel driver and application AudioSocket.
public struct AudioSocketFrame: Equatable, Sendable {
  public static let hangup: UInt8 = 0x00
  public static let identifier: UInt8 = 0x01
  public static let error: UInt8 = 0xff
  /// Audio at 8 kHz. The types up to 0x18 are audio at other rates.
  public static let audio8000: UInt8 = 0x10

  public let type: UInt8
  /// At most 65,535 bytes.
  public let payload: [UInt8]

  public init(_ type: UInt8, _ payload: [UInt8] = []) {
    self.type = type
    self.payload = payload
  }

  /// The message as it is sent.
  public var bytes: [UInt8] {
    [type, UInt8(payload.count >> 8 & 0xff), UInt8(payload.count & 0xff)] + payload
  }

  public var isAudio: Bool { (0x10...0x18).contains(type) }
}

extension SecureSocket {
  /// Tells the exchange that the call has ended, and that nothing follows.
  mutating func hangUp() {
    send(AudioSocketFrame(AudioSocketFrame.hangup).bytes)
    endSending()
  }
}

/// The messages in a stream of bytes.
public struct AudioSocketParser: Sendable {
  private var bytes: [UInt8] = []

  public init() {}

  /// The bytes that have arrived and belong to no complete message.
  public var waitingBytes: Int { bytes.count }

  public mutating func append(_ new: [UInt8]) { bytes += new }

  /// Returns the next complete message and removes it.
  public mutating func next() -> AudioSocketFrame? {
    guard bytes.count >= 3 else { return nil }
    let end = 3 + (Int(bytes[1]) << 8 | Int(bytes[2]))
    guard bytes.count >= end else { return nil }
    defer { bytes.removeFirst(end) }
    return AudioSocketFrame(bytes[0], Array(bytes[3..<end]))
  }
}
