import Foundation
import LinuxSystem
import Logging
import Operations
import Synchronization
import TestNetwork
import Testing
import TestTime

/// The listener, through real sockets.
@Suite(.timeLimit(.minutes(1)))
struct HTTPListenerTests {
  private let registry = MetricsRegistry()
  private let threshold = LogThreshold(.info)
  private let injects = Flag()
  private let audits = Lines()

  private func listener(
    _ address: String = "127.0.0.1:0", isLoopback: Bool = true, readiness: Readiness = .ready
  ) throws -> HTTPListener {
    registry.counter(.framesProcessed).add(7)
    let (injects, audits) = (injects, audits)
    let service = AdministrationService(
      registry: registry, version: "{\"version\":\"1\"}", threshold: threshold,
      injection: .init(isOn: { injects.isSet }, set: { injects.set($0) }),
      isLoopback: isLoopback, readiness: { readiness }
    ) { action, value, isDone, _ in audits.add("\(action) \(value) \(isDone)") }
    return try HTTPListener(address, answered: { service.count($0) }) { service.answer($0) }
  }

  @Test func thePathsAnswer() throws {
    let listener = try listener()
    let metrics = try Client.exchange(listener, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(metrics.contains("HTTP/1.1 200 OK\r\n") && metrics.contains("version=0.0.4"))
    #expect(metrics.contains("\nanechoic_frames_processed_total 7\n"))
    for (path, body) in [
      ("/livez", "ok\n"), ("/readyz", "ok\n"), ("/version", "{\"version\":\"1\"}\n"),
      ("/log-level", "info\n"), ("/injection", "off\n"),
    ] {
      let answer = try Client.exchange(listener, "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(answer.contains(" 200 OK\r\n") && answer.hasSuffix("\r\n\r\n\(body)"), "\(answer)")
    }
    #expect(count(of: 200) == 6)
  }

  @Test func openMetricsIsChosenByTheHeader() throws {
    let answer = try Client.exchange(
      try listener(),
      "GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: application/openmetrics-text\r\n\r\n")
    #expect(answer.contains("application/openmetrics-text; version=1.0.0"))
    #expect(answer.hasSuffix("# EOF\n"))
  }

  /// A proxy leaves a server that stops, but not one that is full.
  @Test(arguments: [
    (Readiness.ready, "200", "200", "ok"), (.full, "503", "404", "full"),
    (.starting, "503", "503", "starting: the keys that verify tokens have not been fetched yet"),
    (.stopping, "503", "503", "stopping"),
  ])
  func readinessHasAStatus(
    readiness: Readiness, ready: String, routed: String, word: String
  ) throws {
    let listener = try listener(readiness: readiness)
    for (path, status) in [("/readyz", ready), ("/routez", routed)] {
      let answer = try Client.exchange(listener, "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path)")
      #expect(answer.hasSuffix("\r\n\r\n\(word)\n"), "\(path)")
    }
  }

  @Test func aLevelIsChangedAndAudited() throws {
    let listener = try listener()
    let answer = try Client.put(listener, "/log-level", "debug\n")
    #expect(answer.hasSuffix("\r\n\r\ndebug\n"))
    #expect(threshold.level == .debug)
    _ = try Client.put(listener, "/injection", "on")
    #expect(injects.isSet)
    #expect(audits.all == ["set log level debug true", "switch injection on true"])
    #expect(try Client.put(listener, "/log-level", "loud").hasPrefix("HTTP/1.1 400 "))
    #expect(threshold.level == .debug)
  }

  @Test(arguments: [
    "Host: evil.example\r\n", "Host: 127.0.0.1.evil.example\r\n",
    "Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n",
    "Host: 127.0.0.1\r\nOrigin: null\r\n", "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
  ])
  func aWebPageChangesNothing(headers: String) throws {
    let answer = try Client.exchange(
      try listener(), "PUT /injection HTTP/1.1\r\n\(headers)Content-Length: 2\r\n\r\non")
    #expect(answer.hasPrefix("HTTP/1.1 403 "))
    #expect(!injects.isSet)
  }

  @Test(arguments: ["127.0.0.1:1", "localhost:1", "[::1]:1", "127.9.9.9"])
  func anOperatorChangesFromThisMachine(host: String) throws {
    let answer = try Client.exchange(
      try listener(), "PUT /injection HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 2\r\n\r\non")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
  }

  @Test(arguments: [
    ("GET /nowhere", 404), ("POST /metrics", 405), ("DELETE /log-level", 405), ("PUT /livez", 405),
    ("GET /metrics/", 404), ("GET //metrics", 404), ("GET /../metrics", 404),
  ])
  func unknownPathsAndMethodsAreRefused(start: String, status: Int) throws {
    let answer = try Client.exchange(try listener(), "\(start) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    #expect((status == 405) == answer.contains("\r\nAllow: "))
  }

  @Test func headHasNoBody() throws {
    let answer = try Client.exchange(
      try listener(), "HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\n"))
  }

  @Test func aLargeBodyIsRefusedAndTheAnswerIsRead() throws {
    let body = String(repeating: "x", count: 200_000)
    let answer = try Client.put(try listener(), "/log-level", body)
    #expect(answer.hasPrefix("HTTP/1.1 413 "))
  }

  /// The listener itself refuses these requests.
  @Test(arguments: [
    ("GET /livez HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
    ("GET /livez HTTP/1.1\r\n\r\n", 400), ("GET /livez HTTP/3\r\nHost: a\r\n\r\n", 505),
    ("PUT /log-level HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n", 413),
    ("PUT /log-level HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
  ])
  func requestsThatTheListenerRefusesAreCounted(request: String, status: Int) throws {
    let answer = try Client.exchange(try listener(), request)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    #expect(count(of: status) == 1)
  }

  /// Returns how often a status was the answer, by the metrics.
  private func count(of status: Int) -> Int? {
    let series = "anechoic_http_requests_total{code=\"\(status)\"} "
    return Exposition.prometheus.text(of: registry).split(separator: "\n")
      .first { $0.hasPrefix(series) }.flatMap { Int($0.dropFirst(series.count)) }
  }

  @Test func slowClientsDoNotLockOutOthers() throws {
    let before = Client.openDescriptors
    let listener = try listener()
    let slow = try (0..<200).map { _ in try Client(listener) }
    for client in slow { client.send("GET /metrics HTTP/1.1\r\nX-Slow: ") }
    let began = ContinuousClock.now
    for _ in 0..<20 {
      let answer = try Client.exchange(listener, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
    #expect(ContinuousClock.now - began < .seconds(4))
    // Other tests also open some.
    #expect(Client.openDescriptors < before + 200 + 32 + 60)
  }

  @Test func aClientThatNeverFinishesIsToldAndDisconnected() throws {
    let listener = try listener()
    let client = try Client(listener)
    client.send("GET /metrics HTTP/1.1\r\n")
    #expect(client.rest().hasPrefix("HTTP/1.1 408 "))
    #expect(count(of: 408) == 1)
    listener.stop()
  }

  @Test func aClientThatVanishesHarmsNothing() throws {
    let listener = try listener()
    for _ in 0..<100 {
      let client = try Client(listener)
      client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
      client.reset()
    }
    let answer = try Client.exchange(listener, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func anAddressInUseIsReported() throws {
    let first = try listener()
    let error = #expect(throws: ListeningError.self) { try listener(first.address) }
    #expect(error?.description == "cannot listen on \(first.address): the address is in use")
  }

  @Test func aStoppedListenerFreesItsAddress() async throws {
    let address: String
    do {
      let first = try listener()
      address = first.address
      first.stop()
    }
    try await eventually("the address is free", within: .seconds(5)) {
      (try? listener(address)) != nil
    }
  }
}

private final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }
  func set(_ new: Bool) { value.withLock { $0 = new } }
}

private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
