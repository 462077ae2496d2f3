import Operations
import Testing

/// The requests that the parser accepts, and those that it refuses.
struct HTTPRequestParserTests {
  private func step(_ text: String) -> HTTPRequestParser.Step {
    var parser = HTTPRequestParser()
    return parser.accept(text.utf8)
  }

  @Test func aRequestIsRead() {
    #expect(
      step("PUT /log-level?x=1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 5\r\n\r\ndebug")
        == .request(
          HTTPRequest(
            method: "PUT", path: "/log-level", query: "x=1",
            headers: ["host": "a:1", "content-length": "5"], body: Array("debug".utf8))))
  }

  @Test func aRequestInPiecesIsReadToo() {
    let text = "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
    var parser = HTTPRequestParser()
    for byte in text.utf8.dropLast() { #expect(parser.accept([byte]) == .needsMore) }
    guard case .request(let request) = parser.accept("c".utf8) else {
      Issue.record("no request")
      return
    }
    #expect(request.body == Array("abc".utf8))
  }

  @Test func anOldClientNeedsNoHost() {
    #expect(step("GET / HTTP/1.0\r\n\r\n") == .request(HTTPRequest(method: "GET", path: "/")))
  }

  @Test(arguments: [("http://b:1/x?y=1", "/x", "y=1"), ("HTTPS://b:1?y=1", "/", "y=1")])
  func aWholeURLHasItsHost(target: String, path: String, query: String) {
    #expect(
      step("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        == .request(
          HTTPRequest(method: "GET", path: path, query: query, headers: ["host": "b:1"])))
  }

  @Test func emptyLinesBeforeARequestAreIgnored() {
    var parser = HTTPRequestParser()
    for piece in ["\r", "\n\r\n", "\r"] {
      #expect(parser.accept(piece.utf8) == .needsMore)
    }
    #expect(
      parser.accept("\nGET / HTTP/1.0\r\n\r\n".utf8)
        == .request(HTTPRequest(method: "GET", path: "/")))
  }

  @Test func aClientThatAsksBeforeItsBodyIsToldToSendIt() {
    let head = "PUT /x HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
    var parser = HTTPRequestParser()
    #expect(parser.accept(head.utf8) == .awaitsContinue)
    #expect(parser.accept("a".utf8) == .needsMore)
    guard case .request(let request) = parser.accept("b".utf8) else {
      Issue.record("no request")
      return
    }
    #expect(request.body == Array("ab".utf8))
    // A body that is there needs no answer, and an old client knows none.
    guard case .request = step(head + "ab") else {
      Issue.record("the body was not read")
      return
    }
    #expect(step(head.replacing("HTTP/1.1", with: "HTTP/1.0")) == .needsMore)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", HTTPStatus.badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 1\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 32769\r\n\r\n", .contentTooLarge),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", .contentTooLarge),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n", .lengthRequired),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", .notImplemented),
    ("GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", .expectationFailed),
    ("GET / HTTP/1.1\r\nHost: a\r\n folded: 1\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\0\r\n\r\n", .badRequest),
    ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET http://x@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET http://a/ HTTP/1.1\r\n\r\n", .badRequest),
    ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
    ("\u{16}\u{3}\u{1}\r\n\r\n", .badRequest), ("GET /\r\n\r\n", .badRequest),
  ])
  func aRequestThatIsNotPlainIsRefused(text: String, status: HTTPStatus) {
    #expect(step(text) == .refusal(status))
  }

  @Test func aLongHeadIsRefusedBeforeItEnds() {
    var parser = HTTPRequestParser()
    let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
    var steps: [HTTPRequestParser.Step] = []
    for _ in 0..<20 { steps.append(parser.accept(chunk)) }
    #expect(steps.contains(.refusal(.headTooLarge)))
    #expect(steps[15] == .needsMore && steps[16] == .refusal(.headTooLarge))
  }

  @Test func tooManyHeadersAreRefused() {
    let headers = (0..<65).map { "x\($0): 1\r\n" }.joined()
    #expect(step("GET / HTTP/1.1\r\n\(headers)\r\n") == .refusal(.headTooLarge))
  }

  @Test func randomBytesNeverCrash() {
    var generator = SystemRandomNumberGenerator()
    let words = [
      "GET ", "/", " HTTP/1.1", "\r\n", ":", "Host", "Content-Length", "\0", "\u{ff}", "9",
    ]
    for _ in 0..<2000 {
      var parser = HTTPRequestParser()
      for _ in 0..<20 {
        let word = words.randomElement(using: &generator) ?? ""
        if case .needsMore = parser.accept(word.utf8) { continue }
        break
      }
    }
  }
}
