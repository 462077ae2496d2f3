import AnechoicAPI
import Foundation
import GRPCTransport
import ScriptedSessions
import SwiftProtobuf
import Testing
import TestTime

@testable import VoiceEdge

/// An agent gives the echo path that a session has learnt to the next one.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EchoPathTests {
  private let path = Anechoic_V1_EchoPath.with {
    $0.sampleRateHz = 16_000
    $0.channelCount = 1
    $0.response = Data([1, 2, 3, 4])
  }

  /// Runs an agent whose first session has learnt a path and has ended.
  private func run(
    _ laterStarts: [SessionScript.Answer] = [], _ body: (ScriptedSessions) async throws -> Void
  ) async throws {
    let folder = try Folder()
    let server = try ScriptedSessions("unix:\(folder.path("scripted"))")
    try await AgentRig.run { setup in
      setup.hasServer = false
      setup.configuration.server.address = server.address
    } _: { rig in
      try await rig.connected()
      let first = try #require(server.script { $0.started.first?.start })
      #expect(first.echoPathWanted && !first.hasEchoPathHint)
      server.script { $0.starts = laterStarts }
      server.tell(path)
      server.end(.explained(.aborted, "SESSION_TERMINATED"))
      try await body(server)
    }
    await server.stop()
  }

  @Test func theNextSessionBeginsWithThePathOfTheLastOne() async throws {
    try await run { server in
      try await eventually("another session") { server.script { $0.started.count } > 1 }
      #expect(server.script { $0.started.last?.start.echoPathHint } == path)
    }
  }

  @Test func aPathThatTheServerRefusesIsGivenUp() async throws {
    let refusal = Status(.invalidArgument, "start.echo_path_hint.response: is too large")
    try await run([.refuse(refusal)]) { server in
      try await eventually("another session") { server.script { $0.started.count } > 2 }
      #expect(server.script { $0.started.map(\.start.hasEchoPathHint) } == [false, true, false])
    }
  }
}
