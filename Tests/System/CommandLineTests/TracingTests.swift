import Foundation
import TestNetwork
import Testing

/// `anechoic-server` with a collector of traces.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TracingTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Runs a server with a collector and asks for its capabilities. Returns its result.
  private func run(
    _ endpoint: String, _ options: [String] = [], environment: [String: String] = [:]
  ) async throws -> Command.Result {
    let server = try await ServerProcess(
      in: folder,
      options: ["--tracing-endpoint", endpoint, "--tracing-sample-ratio", "1"] + options,
      environment: environment)
    let asked = try await Command.run(
      "anechoic", ["capabilities", "--server", server.address], in: folder)
    #expect(asked.status == 0, "\(asked.errors)")
    server.command.signal(SIGTERM)
    return try await server.command.wait()
  }

  @Test func theLastSpansArriveBeforeTheServerEnds() async throws {
    let collector = try SpanCollector()
    #expect(try await run(collector.endpoint).status == 0)
    let span = try #require(collector.spans.first)
    #expect(span.name == "anechoic.v1.VoiceProcessingService/GetCapabilities")
    #expect(span.resource["service.name"] == "anechoic-server")
  }

  @Test func theCollectorGetsTheHeadersOfTheFile() async throws {
    let collector = try SpanCollector()
    try folder.write(
      Data(" # The tenant.\n\n \t\nAuthorization: Bearer x= \n X-Tenant:\ta b\n".utf8), "headers")
    let options = ["--tracing-headers-file", folder.path("headers")]
    #expect(try await run(collector.endpoint, options).status == 0)
    let head = try #require(collector.heads.first).split(separator: "\r\n")
    #expect(head.contains("Authorization: Bearer x=") && head.contains("X-Tenant: a b"), "\(head)")
  }

  @Test(arguments: [
    ("Authorization\n", "headers:1: is not"), ("A: b\nsecret value: c\n", "headers:2: is not"),
    ("A: \u{1}\n", "headers:1: is not"), ("A:\n", "headers:1: is not"),
    (" \t\nHOST: secret\n", "headers:2: HOST is set by the server; leave it out"),
    ("Content-Type: a\n", "headers:1: Content-Type is set"),
    ("content-length: 1\n", "headers:1: content-length is set"),
    ("Expect: a\n", "headers:1: Expect is set"),
    ("Transfer-Encoding: a\n", "headers:1: Transfer-Encoding is set"),
    (String(repeating: "A: b\n", count: 17), "has 17 headers; the limit is 16"),
  ])
  func wrongHeadersAreReportedWithoutThem(text: String, problem: String) async throws {
    try folder.write(Data(text.utf8), "headers")
    let result = try await Command.run(
      "anechoic-server",
      [
        "check-config", "--tracing-endpoint", "https://a.example", "--tracing-headers-file",
        "headers",
      ], in: folder)
    #expect(result.status == 64 && result.errors.contains(problem), "\(result.errors)")
    #expect(!result.errors.contains("secret"))
  }

  @Test func headersForACollectorWithoutTLSPassNoProxy() async throws {
    let (collector, proxy) = (try SpanCollector(), try SpanCollector())
    try folder.write(Data("Authorization: Bearer x\n".utf8), "headers")
    let result = try await run(
      collector.endpoint, ["--tracing-headers-file", folder.path("headers")],
      environment: ["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": ""])
    #expect(result.status == 0 && !collector.heads.isEmpty && proxy.heads.isEmpty)
  }

  @Test func aCollectorThatDoesNotAnswerHoldsUpTheEndForAMoment() async throws {
    let collector = try SpanCollector(.stalled)
    let start = ContinuousClock.now
    #expect(try await run(collector.endpoint).status == 0)
    #expect(.now - start < .seconds(30))
  }

  @Test func aCollectorThatIsAwayIsToldOnce() async throws {
    let gone = try SpanCollector()
    gone.stop()
    let result = try await run(gone.endpoint)
    let lines = result.errorLines.filter { $0.contains("takes no spans") }
    #expect(result.status == 0 && lines.count == 1, "\(result.errors)")
  }

  @Test(arguments: [
    ["--tracing-endpoint", "localhost:4318"], ["--tracing-endpoint", "http://"],
    ["--tracing-endpoint", "http://user:secret@a.example/v1/traces"],
    ["--tracing-endpoint", "http://a.example", "--tracing-ca-file", "/proc/self/status"],
    ["--tracing-endpoint", "https://a.example", "--tracing-ca-file", "/proc/self/status"],
    ["--tracing-endpoint", "http://127.0.0.1.example", "--tracing-headers-file", "/dev/null"],
    ["--tracing-headers-file", "/dev/null"], ["--tracing-sample-ratio", "2"],
    ["--tracing-service", ""],
  ])
  func wrongSettingsAreReported(options: [String]) async throws {
    let result = try await Command.run("anechoic-server", options, in: folder)
    #expect(result.status == 64 && result.errors.contains("--tracing-"), "\(result.errors)")
  }
}
