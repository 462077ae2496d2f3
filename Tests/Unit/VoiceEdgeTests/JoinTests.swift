import AnechoicAPI
import AudioCore
import BundledEngines
import Foundation
import ScriptedDevices
import SwiftProtobuf
import TestAudio
import Testing
import TestTime
import VoiceClient
import VoiceEngines

@testable import VoiceEdge

/// An agent that plays, with a clock of its own, on a machine without a microphone.
private final class Television: Sendable {
  let loudspeaker: ScriptedDevice
  let agent: EdgeAgent
  let log = Lines()
  private let work: Task<Void, Never>

  init(_ rig: AgentRig, name: String = "television", ticket: String = "ticket") {
    let machine = ScriptedMachine()
    loudspeaker = machine.addLoudspeaker("tv", partsPerMillion: 200)
    var configuration = EdgeConfiguration()
    configuration.server.address = "unix:\(rig.folder.path("server"))"
    configuration.controlSocket = nil
    configuration.session.client = name
    configuration.session.join = rig.folder.path(ticket)
    configuration.session.joinBuffer = .milliseconds(20)
    var port = EdgeConfiguration.Port(id: "tv")
    port.output = "tv"
    configuration.routes.ports = [port]
    agent = EdgeAgent(
      configuration, system: machine, engines: .bundled, log: log.add)
    work = Task { [agent] in try? await agent.run() }
  }

  func stop() async {
    work.cancel()
    await work.value
  }

  var isPlaying: Bool { agent.board.status.isConnected }

  /// Waits until the sine of the far end is heard.
  func hears(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let before = loudspeaker.played.count
    try await eventually("heard", sourceLocation: sourceLocation) {
      let played = loudspeaker.played.dropFirst(before).suffix(24000)
      return played.count == 24000 && abs(level(Array(played)) + 15.05) < 1.5
    }
  }
}

/// Two agents in one session.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct JoinTests {
  /// Runs an agent that shares its session, whose far end is a sine, and a television.
  private func run(_ body: (AgentRig, Television) async throws -> Void) async throws {
    let sine = (0..<1600).map { 0.25 * Float(sin(2 * Double.pi * 500 * Double($0) / 16000)) }
    try await AgentRig.run { setup in
      setup.microphone = { _ in 0 }
      setup.configuration.session.share = setup.folder.path("ticket")
      setup.configuration.programs.farEnd = .fifo(path: setup.folder.path("far"))
    } _: { rig in
      let feed = FIFOFeed(rig.folder.path("far"), sine)
      let television = Television(rig)
      do {
        try await body(rig, television)
      } catch {
        for line in television.log.all { print("television: \(line)") }
        await television.stop()
        feed.stop()
        throw error
      }
      await television.stop()
      feed.stop()
    }
  }

  @Test func theOtherAgentPlaysAndMayLeaveAndReturn() async throws {
    try await run { rig, television in
      try await television.hears()
      let session = try #require(rig.status.session.isEmpty ? nil : rig.status.session)
      #expect(television.agent.board.status.session == session)
      #expect(try await rig.remote.get(session).playbackClient == "television")
      #expect(level(Array(rig.loudspeaker.played.suffix(8000))) < -90)
      #expect(television.agent.devices.microphone.record.value.device == nil)
      await television.stop()
      try await eventually("left") { rig.log.contain("playback: television has left") }
      #expect(rig.status.session == session)
      let returned = Television(rig)
      try await returned.hears()
      await returned.stop()
    }
  }

  @Test func theTicketIsForItsOwnerOnlyAndGoesWithTheAgent() async throws {
    var path = ""
    try await run { rig, television in
      path = rig.folder.path("ticket")
      try await eventually("connected") { television.isPlaying }
      var info = stat()
      #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func theTicketGoesWithTheCall() async throws {
    try await AgentRig.run { setup in
      setup.configuration.calls.begin = .request
      setup.configuration.session.share = setup.folder.path("ticket")
      // A killed agent has left it.
      try setup.folder.write("edge:00", "ticket")
    } _: { rig in
      let path = rig.folder.path("ticket")
      for _ in 1...2 {
        try await eventually("gone") { !FileManager.default.fileExists(atPath: path) }
        let _: Anechoic_V1_BeginCallResponse = try await rig.ask(
          RPC.beginCall, Anechoic_V1_BeginCallRequest.with { $0.holder = "softphone" })
        try await eventually("written") { FileManager.default.fileExists(atPath: path) }
        let _: Anechoic_V1_EndCallResponse = try await rig.ask(
          RPC.endCall, Anechoic_V1_EndCallRequest())
      }
      try await eventually("gone") { !FileManager.default.fileExists(atPath: path) }
    }
  }

  @Test func aNewSessionIsJoinedWithItsNewTicket() async throws {
    try await run { rig, television in
      try await television.hears()
      let before = rig.folder.text("ticket")
      await rig.stopServer()
      try await eventually("away") { !television.isPlaying }
      try rig.startServer()
      try await television.hears()
      #expect(rig.folder.text("ticket") != before)
    }
  }

  @Test func anAgentThatWasReplacedWaitsForANewTicket() async throws {
    try await run { rig, television in
      try await television.hears()
      try rig.folder.write(rig.folder.text("ticket"), "copy")
      let second = Television(rig, name: "projector", ticket: "copy")
      try await second.hears()
      try await eventually("replaced") { television.log.contain("another") }
      #expect(!television.isPlaying)
      // To touch the file takes the playback back.
      try rig.folder.write(rig.folder.text("ticket"), "ticket")
      try await television.hears()
      await second.stop()
    }
  }

  @Test func aTicketSurvivesAsText() throws {
    var started = Anechoic_V1_Started()
    #expect(JoinTicket(started) == nil)
    started.session = "sessions/edge-desk"
    started.joinToken = Data([0, 1, 0xab, 0xff])
    let ticket = try #require(JoinTicket(started))
    #expect(ticket.text == "edge-desk:0001abff")
    #expect(JoinTicket(" edge-desk:0001ABFF\n") == ticket)
  }

  @Test(
    arguments: [
      "", ":", "edge", "edge:", "edge:0", "edge:012", "edge:0g", "edge:00:00", "a b:00", "é:00",
      "edge:" + String(repeating: "00", count: 65),
    ])
  func otherTextsAreNoTickets(text: String) throws {
    #expect(JoinTicket(text) == nil)
    let folder = try Folder()
    try folder.write(text, "ticket")
    let file = JoinTicketFile(path: folder.path("ticket"))
    #expect(throws: JoinTicketFile.FileError.self) { try file.read() }
  }

  @Test func filesThatCannotBeUsedHaveAReason() throws {
    let folder = try Folder()
    let none = JoinTicketFile(path: folder.path("none/ticket"))
    #expect(throws: JoinTicketFile.FileError.self) { try none.read() }
    let ticket = try #require(JoinTicket("edge:00"))
    #expect(throws: JoinTicketFile.FileError.self) { try none.write(ticket) }
    #expect(throws: JoinTicketFile.FileError.self) {
      try JoinTicketFile(path: folder.url.path).read()
    }
    let file = JoinTicketFile(path: folder.path("ticket"))
    try file.write(ticket)
    let version = file.version
    try file.write(ticket)
    #expect(file.version != version)
    #expect(try file.read() == ticket)
  }
}
