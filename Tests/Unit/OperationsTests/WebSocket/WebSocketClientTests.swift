import Foundation
import TestNetwork
import Testing

@testable import Operations

/// The client's side of a WebSocket: the opening and the frames.
struct WebSocketClientTests {
  /// The messages that the other side reads from frames.
  private func events(_ bytes: [UInt8], as role: WebSocketRole) -> [WebSocketReader.Event] {
    var reader = WebSocketReader(.init(messageBytes: 1 << 20), as: role)
    bytes.withUnsafeBytes { reader.append($0) }
    var events: [WebSocketReader.Event] = []
    while let event = reader.next() { events.append(event) }
    return events
  }

  @Test(arguments: [0, 1, 125, 126, 65_535, 65_536])
  func eachSideReadsWhatTheOtherSends(count: Int) {
    let message = WebSocketMessage(.binary, (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    for (sender, receiver) in [(WebSocketRole.client, WebSocketRole.server), (.server, .client)] {
      let frame = WebSocketFrames.message(message, from: sender)
      #expect(events(frame, as: receiver) == [.message(message)])
      guard case .violation(let closing) = events(frame, as: sender).first else {
        Issue.record("a side reads its own frames")
        continue
      }
      #expect(closing.code == 1002)
    }
  }

  @Test func theEndHasItsCodeAndReason() {
    let closing = WebSocketClosing(4001, "expired")
    let frame = WebSocketFrames.close(closing, from: .server)
    #expect(events(frame, as: .client) == [.close(closing)])
    let empty = WebSocketFrames.close(WebSocketClosing(WebSocketClosing.noCode), from: .server)
    #expect(events(empty, as: .client) == [.close(nil)])
  }

  /// Returns the server's answer to an opening.
  private func answer(
    to opening: WebSocketOpening, _ status: String = "101 Switching Protocols", _ extra: String = ""
  ) -> [UInt8] {
    let request = String(decoding: opening.request("/", host: "x", [:]), as: UTF8.self)
    let key = request.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key") } ?? ""
    let proof = WebSocketHandshake.accept(of: String(key.dropFirst("Sec-WebSocket-Key: ".count)))
    let lines = [
      "HTTP/1.1 \(status)", "upgrade: WebSocket", "Connection: Upgrade",
      "Sec-WebSocket-Accept: \(proof)",
    ]
    return Array((lines.joined(separator: "\r\n") + "\r\n\(extra)\r\n").utf8)
  }

  @Test func theRequestHasTheHeadersOfTheCaller() {
    let opening = WebSocketOpening(offering: "realtime, x")
    let request = String(
      decoding: opening.request("/a?b=c", host: "example.com", ["authorization": "Bearer t"]),
      as: UTF8.self)
    #expect(request.hasPrefix("GET /a?b=c HTTP/1.1\r\nHost: example.com\r\n"))
    #expect(request.contains("authorization: Bearer t\r\n"))
    #expect(request.contains("Sec-WebSocket-Protocol: realtime, x\r\n"))
    #expect(request.hasSuffix("\r\n\r\n"))
  }

  @Test(arguments: [1, 7, 1000])
  func theAnswerIsFoundHoweverItsBytesArrive(size: Int) {
    var opening = WebSocketOpening(offering: "realtime")
    let bytes = answer(to: opening, extra: "Sec-WebSocket-Protocol: realtime\r\n") + [0x81, 0]
    var step = WebSocketOpening.Step.needsMore
    for start in stride(from: 0, to: bytes.count, by: size) {
      guard step == .needsMore else { break }
      step = opening.accept(Array(bytes[start..<min(bytes.count, start + size)]))
    }
    guard case .open(let headers, _) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(headers["sec-websocket-protocol"] == "realtime")
  }

  private func answer(to opening: WebSocketOpening, extra: String) -> [UInt8] {
    answer(to: opening, "101 Switching Protocols", extra)
  }

  @Test func aRefusalIsPassedOn() {
    var opening = WebSocketOpening()
    let head = Array("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n".utf8)
    #expect(
      opening.accept(head + [1]) == .refused(status: 401, head: head, bodyCount: 2, rest: [1]))
    var other = WebSocketOpening()
    let open = Array("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    #expect(other.accept(open) == .refused(status: 500, head: open, bodyCount: nil, rest: []))
  }

  @Test func answersThatBreakTheProtocolAreViolations() {
    let answers = [
      Array("SSH-2.0-x\r\n\r\n".utf8), Array("HTTP/1.1 101 x\r\n\r\n".utf8),
      Array("HTTP/1.1 abc\r\n\r\n".utf8), Array("HTTP/1.1 200 x\r\nbad header\r\n\r\n".utf8),
      [UInt8](repeating: 65, count: 20_000), [UInt8](repeating: 0xFF, count: 9) + [13, 10, 13, 10],
    ]
    for bytes in answers {
      var opening = WebSocketOpening()
      guard case .violation = opening.accept(bytes) else {
        Issue.record("\(bytes.prefix(20))")
        continue
      }
    }
    var opening = WebSocketOpening()
    let foreign = answer(to: opening, extra: "Sec-WebSocket-Extensions: x\r\n")
    guard case .violation = opening.accept(foreign) else {
      Issue.record("an extension")
      return
    }
  }
}
