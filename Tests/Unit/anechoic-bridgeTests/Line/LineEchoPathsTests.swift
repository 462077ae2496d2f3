import AnechoicAPI
import LiveVoice
import Operations
import Testing

@testable import anechoic_bridge

/// The echo paths that calls take over from the last call of their line.
struct LineEchoPathsTests {
  private static func options(_ rate: Int = 8000) -> LiveVoiceOptions {
    LiveVoiceOptions(server: "127.0.0.1:1", microphone: .init(sampleRate: rate))
  }

  private static func path(_ number: Int) -> Anechoic_V1_EchoPath {
    var path = Anechoic_V1_EchoPath()
    path.channelCount = UInt32(number)
    return path
  }

  /// Begins a call of a line. Returns its settings.
  private func begin(_ line: String, _ paths: LineEchoPaths, rate: Int = 8000) -> LiveVoiceOptions {
    var options = Self.options(rate)
    paths.of(line).apply(to: &options)
    return options
  }

  @Test func theNextCallOfALineBeginsWithThePathOfTheLast() {
    let paths = LineEchoPaths()
    let first = begin("ipv4:10.0.0.1", paths)
    #expect(first.echoPathHint == nil)
    first.onEchoPath?(Self.path(1))
    first.onEchoPath?(Self.path(2))
    #expect(begin("ipv4:10.0.0.1", paths).echoPathHint == Self.path(2))
    #expect(begin("ipv4:10.0.0.2", paths).echoPathHint == nil)
    #expect(begin("ipv4:10.0.0.1", paths, rate: 16_000).echoPathHint == nil)
  }

  @Test func aClientIsItsHeaderOrItsHost() {
    func name(_ peer: String, _ headers: [String: String] = [:]) -> String {
      LineEchoPaths.client(of: HTTPRequest(method: "GET", path: "/", headers: headers, peer: peer))
    }
    #expect(name("ipv4:10.0.0.1:4000") == name("ipv4:10.0.0.1:4001"))
    #expect(name("ipv6:[::1]:4000") == "ipv6:[::1]")
    #expect(name("ipv4:10.0.0.1:4000") != name("ipv4:10.0.0.2:4000"))
    #expect(
      name("ipv4:10.0.0.1:4000", ["anechoic-line": "kitchen"])
        == name("ipv4:10.0.0.2:4000", ["anechoic-line": "kitchen"]))
    #expect(name("ipv4:10.0.0.1:4000", ["anechoic-line": ""]) == "ipv4:10.0.0.1")
  }

  @Test func theLineUsedLongestAgoIsForgotten() {
    let paths = LineEchoPaths()
    for line in 0..<LineEchoPaths.most { begin("\(line)", paths).onEchoPath?(Self.path(line)) }
    begin("0", paths).onEchoPath?(Self.path(7))
    begin("new", paths).onEchoPath?(Self.path(8))
    #expect(begin("0", paths).echoPathHint == Self.path(7))
    #expect(begin("1", paths).echoPathHint == nil)
    #expect(begin("2", paths).echoPathHint == Self.path(2))
  }

  @Test func aCallThatTellsNoPathUsesItsLineToo() {
    let paths = LineEchoPaths()
    for line in 0..<LineEchoPaths.most { begin("\(line)", paths).onEchoPath?(Self.path(line)) }
    #expect(begin("0", paths).echoPathHint == Self.path(0))
    begin("new", paths).onEchoPath?(Self.path(8))
    #expect(begin("0", paths).echoPathHint == Self.path(0))
    #expect(begin("1", paths).echoPathHint == nil)
  }

  @Test func aNameOfAnyLengthIsALine() {
    let paths = LineEchoPaths()
    let name = String(repeating: "é", count: 100_000)
    begin(name, paths).onEchoPath?(Self.path(1))
    #expect(begin(name, paths).echoPathHint == Self.path(1))
  }

  @Test(arguments: [
    (#"{"accountSid":"AC1","customParameters":{"line":"berlin"}}"#, "berlin"),
    (#"{"accountSid":"AC1","customParameters":{"line":7}}"#, "AC1"),
    (#"{"accountSid":"AC1","customParameters":[]}"#, "AC1"), (#"{"accountSid":null}"#, ""),
    ("3", ""),
  ])
  func aMediaStreamNamesItsLine(start: String, line: String) {
    let message = WebSocketMessage(#"{"event":"start","start":\#(start)}"#)
    #expect(MediaStreamMessage(message)?.line == line)
  }
}
