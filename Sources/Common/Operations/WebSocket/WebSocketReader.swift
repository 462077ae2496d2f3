/// Reads the messages of the other side from the bytes of a connection (RFC 6455, section 5). A pure
/// state machine: it does no I/O.
///
/// The reader joins fragments, and keeps at most one message and the bytes that were appended last.
package struct WebSocketReader {
  /// The limits for the other side.
  package struct Limits: Sendable {
    /// The largest message in bytes, with all its fragments.
    package var messageBytes: Int
    /// The maximum number of fragments of a message.
    package var fragments = 256

    package init(messageBytes: Int, fragments: Int = 256) {
      self.messageBytes = messageBytes
      self.fragments = fragments
    }
  }

  enum Event: Equatable {
    case message(WebSocketMessage)
    case ping([UInt8])
    case pong
    /// The other side closes. The closing is nil if it gave no code.
    case close(WebSocketClosing?)
    /// The other side broke a rule. Nothing is read any more.
    case violation(WebSocketClosing)
  }

  private struct ProtocolError: Error {
    let closing: WebSocketClosing
  }

  /// A frame whose payload arrives.
  private struct Frame {
    let opcode: WebSocketFrames.Opcode
    let isFinal: Bool
    /// Nil in frames of a server.
    let mask: [UInt8]?
    let count: Int
    var taken = 0
  }

  private let limits: Limits
  private let role: WebSocketRole
  private var buffer: [UInt8] = []
  private var position = 0
  private var frame: Frame?
  private var control: [UInt8] = []
  private var message: WebSocketMessage?
  private var fragments = 0
  private var isOver = false

  /// `role` is this side.
  init(_ limits: Limits, as role: WebSocketRole = .server) {
    self.limits = limits
    self.role = role
  }

  /// Whether a message has begun to arrive and is not complete.
  var isInMessage: Bool { message != nil || frame != nil || position < buffer.count }

  /// The number of bytes that the reader keeps.
  var keptBytes: Int { buffer.count - position + (message?.bytes.count ?? 0) }

  /// Adds the next bytes of the connection.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !isOver else { return }
    buffer.removeFirst(position)
    position = 0
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next event, or nil if it has not arrived completely.
  mutating func next() -> Event? {
    guard !isOver else { return nil }
    do {
      return try step()
    } catch {
      isOver = true
      buffer = []
      position = 0
      message = nil
      return .violation(error.closing)
    }
  }

  private mutating func step() throws(ProtocolError) -> Event? {
    while true {
      if frame == nil { frame = try readHead() }
      guard var frame else { return nil }
      takePayload(&frame)
      guard frame.taken == frame.count else {
        self.frame = frame
        return nil
      }
      self.frame = nil
      if frame.opcode.isControl { return try controlEvent(frame.opcode) }
      guard frame.isFinal else { continue }
      return try messageEvent()
    }
  }

  /// Reads the head of a frame. Returns nil if the head has not arrived completely.
  private mutating func readHead() throws(ProtocolError) -> Frame? {
    let bytes = buffer[position...]
    guard bytes.count >= 2 else { return nil }
    let (first, second) = (bytes[position], bytes[position + 1])
    guard first & 0x70 == 0 else { throw Self.violation(1002, "no extension was agreed") }
    guard let opcode = WebSocketFrames.Opcode(rawValue: first & 0x0F) else {
      throw Self.violation(1002, "the opcode \(first & 0x0F) does not exist")
    }
    let isMasked = second & 0x80 != 0
    guard isMasked == (role == .server) else {
      throw Self.violation(1002, "a client has to mask its frames, and a server must not")
    }
    let short = Int(second & 0x7F)
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    let maskCount = isMasked ? 4 : 0
    guard bytes.count >= 2 + extra + maskCount else { return nil }
    var count = UInt64(short)
    if extra > 0 {
      count = bytes[(position + 2)..<(position + 2 + extra)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    let isFinal = first & 0x80 != 0
    try check(opcode, isFinal: isFinal, count: count)
    let maskStart = position + 2 + extra
    let mask = isMasked ? Array(bytes[maskStart..<(maskStart + maskCount)]) : nil
    position = maskStart + maskCount
    return Frame(opcode: opcode, isFinal: isFinal, mask: mask, count: Int(count))
  }

  private mutating func check(
    _ opcode: WebSocketFrames.Opcode, isFinal: Bool, count: UInt64
  ) throws(ProtocolError) {
    guard !opcode.isControl else {
      guard isFinal, count <= WebSocketFrames.longestControl else {
        throw Self.violation(1002, "a control frame has at most 125 bytes and no fragments")
      }
      control = []
      return
    }
    if opcode == .continuation {
      guard message != nil else { throw Self.violation(1002, "no message to continue") }
      fragments += 1
      guard fragments <= limits.fragments else {
        throw Self.violation(1008, "a message has at most \(limits.fragments) fragments")
      }
    } else {
      guard message == nil, let kind = WebSocketMessage.Kind(rawValue: opcode.rawValue) else {
        throw Self.violation(1002, "a message began before the end of the one before")
      }
      message = WebSocketMessage(kind, [])
      fragments = 1
    }
    guard count <= UInt64(limits.messageBytes - (message?.bytes.count ?? 0)) else {
      throw Self.violation(1009, "a message has at most \(limits.messageBytes) bytes")
    }
  }

  /// Moves the payload that has arrived to its message.
  private mutating func takePayload(_ frame: inout Frame) {
    let count = min(frame.count - frame.taken, buffer.count - position)
    guard count > 0 else { return }
    var target: [UInt8] = []
    if frame.opcode.isControl { swap(&target, &control) } else { take(&target) }
    if let mask = frame.mask {
      for index in 0..<count {
        target.append(buffer[position + index] ^ mask[(frame.taken + index) & 3])
      }
    } else {
      target += buffer[position..<(position + count)]
    }
    if frame.opcode.isControl { swap(&target, &control) } else { message?.bytes = target }
    position += count
    frame.taken += count
  }

  /// Moves the bytes of the message, so that they are not copied when they grow.
  private mutating func take(_ bytes: inout [UInt8]) {
    guard let kind = message?.kind else { return }
    bytes = message.take()?.bytes ?? []
    message = WebSocketMessage(kind, [])
  }

  private mutating func messageEvent() throws(ProtocolError) -> Event? {
    guard let message = message.take() else { return nil }
    if message.kind == .text, String(validating: message.bytes, as: UTF8.self) == nil {
      throw Self.violation(1007, "a text is not UTF-8")
    }
    return .message(message)
  }

  private mutating func controlEvent(_ opcode: WebSocketFrames.Opcode) throws(ProtocolError)
    -> Event
  {
    defer { control = [] }
    switch opcode {
    case .ping: return .ping(control)
    case .pong: return .pong
    default:
      isOver = true
      guard control.count != 1 else { throw Self.violation(1002, "half a code") }
      guard control.count >= 2 else { return .close(nil) }
      let code = UInt16(control[0]) << 8 | UInt16(control[1])
      let isKnown = (1000...1014).contains(code) && ![1004, 1005, 1006].contains(code)
      guard isKnown || (3000...4999).contains(code) else {
        throw Self.violation(1002, "the code \(code) is not one to send")
      }
      return .close(WebSocketClosing(code, String(decoding: control.dropFirst(2), as: UTF8.self)))
    }
  }

  private static func violation(_ code: UInt16, _ reason: String) -> ProtocolError {
    ProtocolError(closing: WebSocketClosing(code, reason))
  }
}
