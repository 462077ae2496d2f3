internal import Foundation

/// The client's side of the opening handshake of a WebSocket (RFC 6455, section 4.1). A pure state
/// machine: it does no I/O.
package struct WebSocketOpening {
  /// The result of the bytes so far.
  package enum Step: Sendable, Equatable {
    case needsMore
    /// The WebSocket is open. The headers have lower-case names. `rest` are the first bytes of frames.
    case open(headers: [String: String], rest: [UInt8])
    /// The server has answered otherwise, with this head. `bodyCount` is nil if the body lasts until the
    /// connection ends. `rest` is the beginning of the body.
    case refused(status: Int, head: [UInt8], bodyCount: Int?, rest: [UInt8])
    /// The answer breaks the protocol.
    case violation(String)
  }

  /// The maximum size in bytes of the head of the answer.
  private static let longestHead = 16 << 10

  private let key: String
  private let offered: [String]
  private var buffer: [UInt8] = []

  /// `subprotocols` is the list that the client offers, or nil.
  package init(offering subprotocols: String? = nil) {
    key = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    offered = WebSocketHandshake.words(subprotocols)
  }

  /// Returns the request for `target`, a path with its query, at `host`. `headers` are sent as they are.
  package func request(_ target: String, host: String, _ headers: [String: String]) -> [UInt8] {
    var all = headers
    all["Upgrade"] = "websocket"
    all["Connection"] = "Upgrade"
    all["Sec-WebSocket-Version"] = WebSocketHandshake.version
    all["Sec-WebSocket-Key"] = key
    if !offered.isEmpty { all["Sec-WebSocket-Protocol"] = offered.joined(separator: ", ") }
    var head = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n"
    for (name, value) in all.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
    return Array((head + "\r\n").utf8)
  }

  /// Takes the next bytes of the answer.
  package mutating func accept(_ bytes: [UInt8]) -> Step {
    buffer += bytes
    let end: [UInt8] = [13, 10, 13, 10]
    guard buffer.count >= end.count,
      let start = (0...(buffer.count - end.count)).first(where: { buffer[$0...].starts(with: end) })
    else {
      return buffer.count > Self.longestHead ? .violation("its answer has no end") : .needsMore
    }
    let length = start + end.count
    guard length <= Self.longestHead else { return .violation("its answer is too long") }
    return step(Array(buffer[..<length]), rest: Array(buffer[length...]))
  }

  private func step(_ head: [UInt8], rest: [UInt8]) -> Step {
    let lines = String(decoding: head.dropLast(4), as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0) }
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
      (100...599).contains(status)
    else { return .violation("it does not speak HTTP/1.1") }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let (name, value) = HTTPRequestParser.field(line) else {
        return .violation("its answer has a header that cannot be read")
      }
      headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
    guard status == 101 else {
      let hasBody = headers["transfer-encoding"] == nil
      let count = hasBody ? headers["content-length"].flatMap { Int($0) } : nil
      return .refused(status: status, head: head, bodyCount: count.map { max(0, $0) }, rest: rest)
    }
    guard headers["sec-websocket-accept"] == WebSocketHandshake.accept(of: key),
      headers["upgrade"]?.lowercased() == "websocket", headers["sec-websocket-extensions"] == nil,
      headers["sec-websocket-protocol"].map(offered.contains) ?? true
    else { return .violation("its answer is not that of a WebSocket") }
    return .open(headers: headers, rest: rest)
  }
}
