/// A client of WebSockets that sends any frames, for tests and attacks. One thread may send while
/// another one receives.
public final class RawWebSocketClient: @unchecked Sendable {
  /// A frame of the server.
  public struct Frame: Equatable, Sendable {
    public let opcode: UInt8
    public let payload: [UInt8]

    public init(opcode: UInt8, payload: [UInt8]) {
      self.opcode = opcode
      self.payload = payload
    }

    public var text: String { String(decoding: payload, as: UTF8.self) }
    /// The code of a frame that closes.
    public var code: Int { payload.count < 2 ? 0 : Int(payload[0]) << 8 | Int(payload[1]) }
  }

  public static let (text, binary, close, ping, pong) = (
    UInt8(1), UInt8(2), UInt8(8), UInt8(9), UInt8(10)
  )

  /// The answer to the handshake, with its headers.
  public private(set) var head = ""
  private let client: RawHTTPClient
  private var bytes: [UInt8] = []

  /// Opens a path. `head` tells whether the server has agreed.
  public init(
    _ address: String, _ path: String, headers: [String: String] = [:], then first: [UInt8] = [],
    receiveBuffer: Int32? = nil
  ) throws {
    client = try RawHTTPClient(address, receiveBuffer: receiveBuffer)
    client.wait(atMost: 20)
    let usual = [
      "Host": address, "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    let lines = usual.merging(headers) { $1 }.filter { !$0.value.isEmpty }
      .map { "\($0): \($1)\r\n" }.joined()
    client.send(Array("GET \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + first)
    let end = Array("\r\n\r\n".utf8)
    while bytes.firstRange(of: end) == nil {
      let more = client.receive()
      guard !more.isEmpty else { break }
      bytes += more
    }
    guard let found = bytes.firstRange(of: end) else { return }
    head = String(decoding: bytes[..<found.lowerBound], as: UTF8.self)
    bytes.removeFirst(found.upperBound)
  }

  public var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

  /// The bytes that followed the head.
  public var body: String {
    while true {
      let more = client.receive()
      guard !more.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }

  /// Returns a frame of a client.
  public static func frame(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isMasked: Bool = true
  ) -> [UInt8] {
    var frame = [(isFinal ? 0x80 : 0) | opcode]
    let bit: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ..<126: frame.append(bit | UInt8(payload.count))
    case ...0xFFFF: frame += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      frame.append(bit | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    guard isMasked else { return frame + payload }
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    return frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  public func send(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) {
    client.send(Self.frame(opcode, payload, isFinal: isFinal))
  }

  public func send(_ text: String) { send(Self.text, Array(text.utf8)) }

  /// Sends bytes as they are.
  public func send(raw bytes: [UInt8]) { client.send(bytes) }

  /// Returns the next frame, or nil at the end of the connection.
  public func next() -> Frame? {
    while true {
      if let frame = takeFrame() { return frame }
      let more = client.receive()
      guard !more.isEmpty else { return nil }
      bytes += more
    }
  }

  /// Returns the frames until the server closes, with the one that closes.
  public func rest() -> [Frame] {
    var frames: [Frame] = []
    while let frame = next() {
      frames.append(frame)
      if frame.opcode == Self.close { break }
    }
    return frames
  }

  /// Closes the connection so that the server's next write fails.
  public func reset() { client.reset() }

  private func takeFrame() -> Frame? {
    guard bytes.count >= 2 else { return nil }
    let short = Int(bytes[1] & 0x7F)
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    guard bytes.count >= 2 + extra else { return nil }
    let count = extra == 0 ? short : bytes[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
    let end = 2 + extra + count
    guard bytes.count >= end else { return nil }
    let frame = Frame(opcode: bytes[0] & 0x0F, payload: Array(bytes[(2 + extra)..<end]))
    bytes.removeFirst(end)
    return frame
  }
}
