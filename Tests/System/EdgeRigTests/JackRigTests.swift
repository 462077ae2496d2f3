import AnechoicAPI
import EdgeRig
import Foundation
import SoundCards
import Testing

/// Jacks that the agent sees through controls of ALSA, on a machine without a sound server.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct JackRigTests {
  /// A desk, and headphones in a jack of the same card.
  private static func configuration(jack: String) -> String {
    """
    routes:
      ports:
      - {id: desk, input: mic, output: speaker}
      - {id: headphones, input: mic, output: speaker, headphones: true, priority: 1,
         control: card, jack: "\(jack)"}
    """
  }

  private static let jacks = ["Headphone Jack", "HDMI/DP,pcm=3 Jack"]

  private func start(jack: String) async throws -> (SoundCards, RunningEdge) {
    let cards = try SoundCards(products: products)
    try cards.plug("microphone", channels: 2)
    try cards.plug("loudspeaker", channels: 2)
    try cards.define("mic", card: "microphone")
    try cards.define("speaker", card: "loudspeaker")
    try cards.define(control: "card")
    try plug(cards, false)
    let edge = try RunningEdge(
      environment: cards.environment, products: products,
      configuration: Self.configuration(jack: jack))
    try #require(await edge.wait { $0.runs } != nil, "\(edge.agentLog)")
    return (cards, edge)
  }

  private func plug(_ cards: SoundCards, _ isPlugged: Bool) throws {
    try cards.set("card", jacks: Self.jacks.map { ($0, isPlugged) })
  }

  @Test(arguments: jacks)
  func aPlugChangesTheRouteAndSoDoesACardThatGoesAndReturns(jack: String) async throws {
    let (cards, edge) = try await start(jack: jack)
    defer {
      edge.stop()
      cards.stop()
    }
    #expect(try await edge.status().route == "desk")
    for _ in 0..<3 {
      try plug(cards, true)
      let took = try #require(await edge.wait { $0.route == "headphones" }, "\(edge.agentLog)")
      #expect(took < .milliseconds(500))
      try plug(cards, false)
      #expect(await edge.wait { $0.route == "desk" } != nil, "\(edge.agentLog)")
    }
    try plug(cards, true)
    #expect(await edge.wait { $0.route == "headphones" } != nil)
    try cards.unplug("card")
    #expect(await edge.wait { $0.route == "desk" } != nil, "\(edge.agentLog)")
    try plug(cards, true)
    #expect(await edge.wait { $0.route == "headphones" } != nil, "\(edge.agentLog)")
  }

  @Test func theWatchSleepsBetweenEvents() async throws {
    let (cards, edge) = try await start(jack: Self.jacks[0])
    defer {
      edge.stop()
      cards.stop()
    }
    let before = try wakes(of: "jacks", in: edge.agentIdentifier)
    try await Task.sleep(for: .seconds(4))
    #expect(try wakes(of: "jacks", in: edge.agentIdentifier) - before <= 1)
  }

  @Test func aJackThatTheCardDoesNotHaveIsReportedWithThoseThatItHas() async throws {
    let (cards, edge) = try await start(jack: "Headphones")
    defer {
      edge.stop()
      cards.stop()
    }
    #expect(await edge.wait { $0.route == "headphones" } != nil)
    #expect(
      edge.agentLog.contains(
        "\"card\" has no jack \"Headphones\", so port headphones counts as plugged in; "
          + "its jacks are \"Headphone Jack\", \"HDMI/DP,pcm=3 Jack\""), "\(edge.agentLog)")
    // It may come later.
    try cards.set("card", jacks: [("Headphones", false)])
    #expect(await edge.wait { $0.route == "desk" } != nil, "\(edge.agentLog)")
  }

  @Test func theJacksAreListed() throws {
    let cards = try SoundCards(products: products)
    defer { cards.stop() }
    try cards.define(control: "card")
    try cards.set("card", jacks: [("Headphone Jack", true), ("Line Out Jack", false)])
    let agent = Process()
    agent.executableURL = products.appending(path: "anechoic-edge")
    agent.arguments = ["devices", "--control", "card"]
    agent.environment = ProcessInfo.processInfo.environment.merging(cards.environment) { $1 }
    let output = Pipe()
    (agent.standardOutput, agent.standardError) = (output, FileHandle.nullDevice)
    try agent.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    agent.waitUntilExit()
    #expect(text.contains("Headphone Jack  [jack of card]  plugged in\n"), "\(text)")
    #expect(
      text.contains("Line Out Jack  [jack of card]  empty\n") && !text.contains("Capture Switch"))
  }

  /// Returns the number of times that a thread of a process has gone to sleep.
  private func wakes(of name: String, in process: Int32) throws -> Int {
    let tasks = "/proc/\(process)/task"
    let thread = try #require(
      try FileManager.default.contentsOfDirectory(atPath: tasks).first {
        let comm = try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)
        return comm == name + "\n"
      })
    let status = try String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
    return try #require(line?.split(separator: "\t").last.flatMap { Int($0) })
  }
}
