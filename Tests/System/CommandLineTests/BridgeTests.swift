import Foundation
import Testing

/// The bridges between WebSockets as programs. `scripts/test bridges` calls through them.
@Suite(.timeLimit(.minutes(1)))
struct BridgeTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: ["realtime", "media-streams"])
  func aBridgeListensAndStops(command: String) async throws {
    let bridge = try Command(
      "anechoic-bridge",
      [command, "--listen", "127.0.0.1:0", "--upstream", "ws://127.0.0.1:1"], in: folder)
    try await bridge.line(containing: "listening on 127.0.0.1:")
    bridge.signal(SIGTERM)
    #expect(try await bridge.wait().status == 0)
  }

  @Test(arguments: ["realtime", "media-streams", "audiosocket"])
  func operatorsAreAnswered(command: String) async throws {
    let other =
      command == "audiosocket"
      ? ["--application", "127.0.0.1:1"] : ["--upstream", "ws://127.0.0.1:1"]
    let bridge = try Command(
      "anechoic-bridge",
      [command, "--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0", "--max-calls", "7"]
        + other, in: folder)
    let line = try await bridge.line(containing: "operators: http://")
    let address = try #require(line.split(separator: " ").last)
    func page(_ path: String) async throws -> String {
      try await Command.run(
        "/usr/bin/curl", ["--silent", "--write-out", "%{http_code}", "\(address)\(path)"],
        in: folder
      ).text
    }
    let metrics = try await page("/metrics")
    for line in [
      "anechoic_bridge_call_capacity 7.0", "anechoic_bridge_calls 0.0",
      "anechoic_bridge_calls_refused_total{reason=\"full\"} 0",
    ] {
      #expect(metrics.split(separator: "\n").contains(Substring(line)), "\(line)")
    }
    #expect(try await page("/readyz") == "ok\n200")
    #expect(try await page("/log-level").hasSuffix("404"))
    bridge.signal(SIGTERM)
    #expect(try await bridge.wait().status == 0)
  }

  @Test(arguments: [
    ["realtime"], ["media-streams"], ["realtime", "--upstream", "http://127.0.0.1:9"],
    ["realtime", "--upstream", "ws://127.0.0.1:9", "--listen", "unix:/tmp/x"],
    ["realtime", "--upstream", "ws://127.0.0.1:9", "--upstream-ca-file", "x.pem"],
    ["realtime", "--upstream", "ws://127.0.0.1:9", "--delay", "2s"],
    ["realtime", "--upstream", "ws://127.0.0.1:9", "--output", "raw"],
    ["realtime", "--upstream", "ws://127.0.0.1:9", "--http-listen", "0"],
    ["media-streams", "--upstream", "ws://127.0.0.1:9", "--turns"],
    ["media-streams", "--upstream", "ws://127.0.0.1:9", "--max-calls", "0"],
    ["media-streams", "--upstream", "ws://127.0.0.1:9", "--max-message", "1KiB"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic-bridge", arguments, in: folder)
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test func thingsThatCannotBeDoneAreOneLine() async throws {
    let bridge = ["realtime", "--upstream", "wss://127.0.0.1:9"]
    for arguments in [
      ["--upstream-ca-file", "nothing.pem"], ["--listen", "192.0.2.1:9094"],
      ["--listen", "127.0.0.1:0", "--http-listen", "192.0.2.1:9096"],
    ] {
      let result = try await Command.run("anechoic-bridge", bridge + arguments, in: folder)
      #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    }
  }
}
