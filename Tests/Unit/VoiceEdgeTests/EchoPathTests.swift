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
  @Test func theNextSessionBeginsWithThePathOfTheLastOne() async throws {
    let folder = try Folder()
    let server = try ScriptedSessions("unix:\(folder.path("scripted"))")
    let path = Anechoic_V1_EchoPath.with {
      $0.sampleRateHz = 16_000
      $0.channelCount = 1
      $0.response = Data([1, 2, 3, 4])
    }
    try await AgentRig.run { setup in
      setup.hasServer = false
      setup.configuration.server.address = server.address
    } _: { rig in
      try await rig.connected()
      let first = try #require(server.script { $0.started.first?.start })
      #expect(first.echoPathWanted && !first.hasEchoPathHint)
      server.tell(path)
      server.end(.explained(.aborted, "SESSION_TERMINATED"))
      try await eventually("another session") { server.script { $0.started.count } > 1 }
      #expect(server.script { $0.started.last?.start.echoPathHint } == path)
    }
    await server.stop()
  }
}
