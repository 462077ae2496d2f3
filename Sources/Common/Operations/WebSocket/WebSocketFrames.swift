/// A message of a WebSocket.
public struct WebSocketMessage: Sendable, Equatable {
  public enum Kind: UInt8, Sendable {
    case text = 1
    case binary = 2
  }

  public var kind: Kind
  public var bytes: [UInt8]

  public init(_ kind: Kind, _ bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  public init(_ text: String) { self.init(.text, Array(text.utf8)) }
}

/// The end of a WebSocket: a code of RFC 6455, section 7.4, or of the application, and a reason.
public struct WebSocketClosing: Sendable, Equatable {
  public static let normal = WebSocketClosing(1000)
  /// The code that stands for an end without a code.
  package static let noCode: UInt16 = 1005
  /// The longest reason in bytes. The frame has room for 125 bytes.
  public static let longestReason = 123

  public var code: UInt16
  public var reason: String

  /// Creates an end. A reason that is too long is cut at a character.
  public init(_ code: UInt16, _ reason: String = "") {
    self.code = code
    var cut = reason
    while cut.utf8.count > Self.longestReason { cut.removeLast() }
    self.reason = cut
  }
}

/// A side of a WebSocket.
package enum WebSocketRole: Sendable {
  case client
  case server
}

/// The frames of a WebSocket (RFC 6455, section 5). A client masks them, and a server does not.
enum WebSocketFrames {
  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  /// The largest payload in bytes of a control frame.
  static let longestControl = 125

  /// Returns a frame of `role` that is a whole message.
  static func frame(_ opcode: Opcode, _ payload: [UInt8], from role: WebSocketRole) -> [UInt8] {
    let maskBit: UInt8 = role == .client ? 0x80 : 0
    var frame: [UInt8] = []
    frame.reserveCapacity(payload.count + 14)
    frame.append(0x80 | opcode.rawValue)
    switch payload.count {
    case ...longestControl: frame.append(maskBit | UInt8(payload.count))
    case ...0xFFFF:
      frame.append(maskBit | 126)
      for shift in [8, 0] { frame.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
    default:
      frame.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    guard role == .client else { return frame + payload }
    let mask = (0..<4).map { _ in UInt8.random(in: 0...255) }
    frame += mask
    let start = frame.count
    frame += payload
    for index in payload.indices { frame[start + index] ^= mask[index & 3] }
    return frame
  }

  static func message(_ message: WebSocketMessage, from role: WebSocketRole) -> [UInt8] {
    frame(message.kind == .text ? .text : .binary, message.bytes, from: role)
  }

  static func close(_ closing: WebSocketClosing, from role: WebSocketRole) -> [UInt8] {
    // 1005 stands for an end without a code, and is not sent.
    guard closing.code != WebSocketClosing.noCode else { return frame(.close, [], from: role) }
    let code = [UInt8(closing.code >> 8), UInt8(closing.code & 0xFF)]
    return frame(.close, code + Array(closing.reason.utf8), from: role)
  }
}
