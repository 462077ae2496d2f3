import Operations
import Synchronization
import TestNetwork
import Testing
import TestTime

/// Answers that tasks make, through real sockets.
@Suite(.timeLimit(.minutes(1)))
struct HTTPExchangeTests {
  private let count = Counted()

  /// Returns a listener that answers each request with `body`, except for /livez.
  private func listener(
    patience: Duration = .seconds(10), _ body: @escaping @Sendable (HTTPExchange) async -> Void
  ) throws -> HTTPListener {
    try HTTPListener("127.0.0.1:0", patience: patience) { request in
      guard request.path != "/livez" else { return .complete(HTTPResponse("ok\n")) }
      return .made(on: globalConcurrentExecutor, by: body)
    }
  }

  private let get = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func anAnswerMayComeLater() throws {
    let listener = try listener { exchange in
      await Task.yield()
      exchange.respond(HTTPResponse("done\n"))
    }
    let answer = try Client.exchange(listener, get)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\ndone\n"))
  }

  @Test func partsComeInOrderUntilTheEnd() throws {
    let listener = try listener { exchange in
      try? await exchange.begin(HTTPResponse("0 ", contentType: "text/event-stream"))
      for part in 1...100 { try? await exchange.write("\(part) ".utf8) }
    }
    let answer = try Client.exchange(listener, get)
    #expect(!answer.contains("Content-Length"))
    #expect(answer.hasSuffix("\r\n\r\n" + (0...100).map { "\($0) " }.joined()))
  }

  @Test func aTaskWithoutAnAnswerEndsTheConnection() throws {
    #expect(try Client.exchange(try listener { _ in }, get) == "")
  }

  @Test func aClientThatReadsNothingCostsOnePartAndIsDropped() async throws {
    let part = [UInt8](repeating: 0x78, count: 1 << 20)
    let count = count
    let listener = try listener(patience: .milliseconds(300)) { exchange in
      do {
        try await exchange.begin(HTTPResponse("", contentType: "text/event-stream"))
        while true {
          count.sent()
          try await exchange.write(part)
        }
      } catch { count.ended() }
    }
    let client = try Client(listener)
    client.send(get)
    try await count.waitForEnds(1)
    // The kernel's buffers hold some parts. The task never gets ahead of them.
    #expect(count.parts < 64)
    withExtendedLifetime(client) {}
  }

  @Test func theTaskOfAClientThatGoesIsCancelled() async throws {
    let count = count
    let listener = try listener { _ in
      count.sent()
      try? await untilCancelled()
      count.ended()
    }
    let client = try Client(listener)
    client.send(get)
    try await count.waitForParts(1)
    client.reset()
    try await count.waitForEnds(1)
  }

  @Test func tasksAreLimitedAndOthersAreStillServed() async throws {
    let count = count
    let listener = try listener { exchange in
      try? await exchange.begin(HTTPResponse("", contentType: "text/event-stream"))
      count.sent()
      try? await untilCancelled()
    }
    let clients = try (0..<HTTPListener.mostExchanges).map { _ in
      try Client(listener)
    }
    for client in clients { client.send(get) }
    try await count.waitForParts(clients.count)
    #expect(try Client.exchange(listener, get).hasPrefix("HTTP/1.1 429 "))
    let slow = try (0..<100).map { _ in try Client(listener) }
    for client in slow { client.send("GET /livez HTTP/1.1\r\nX-Slow: ") }
    let answer = try Client.exchange(
      listener, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(clients.allSatisfy { $0.next().hasPrefix("HTTP/1.1 200 ") })
    clients[0].reset()
    while true {
      let client = try Client(listener)
      client.send(get)
      if client.next().hasPrefix("HTTP/1.1 200 ") { break }
    }
  }
}

private final class Counted: Sendable {
  private let counts = Mutex((parts: 0, ends: 0))

  var parts: Int { counts.withLock { $0.parts } }
  func sent() { counts.withLock { $0.parts += 1 } }
  func ended() { counts.withLock { $0.ends += 1 } }

  func waitForParts(_ parts: Int) async throws {
    try await eventually("\(parts) parts") { self.parts >= parts }
  }
  func waitForEnds(_ ends: Int) async throws {
    try await eventually("\(ends) ends") { counts.withLock { $0.ends } >= ends }
  }
}
