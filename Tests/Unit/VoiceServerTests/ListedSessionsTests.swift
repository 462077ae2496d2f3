import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

/// The list of sessions, and the state of one session.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ListedSessionsTests {
  @Test(arguments: [1, 2, 3, 7, 8, 1_000_000] as [Int32])
  func pagesFollowEachOtherWithoutHoleOrRepeat(size: Int32) async throws {
    try await TestServer.run { server in
      let streams = try await start(7, on: server)
      var names: [String] = []
      var token = ""
      var pages = 0
      repeat {
        let page = try await list(server, size, token)
        #expect(page.sessions.count <= size)
        names += page.sessions.map(\.name)
        token = page.nextPageToken
        pages += 1
      } while !token.isEmpty && pages < 10
      #expect(names == streams.map(\.started.session))
      #expect(pages == (7 + Int(size) - 1) / Int(size))
    }
  }

  @Test func aListContinuesAlthoughItsLastSessionHasEnded() async throws {
    try await TestServer.run { server in
      let streams = try await start(5, on: server)
      let page = try await list(server, 2, "")
      for index in [1, 2] {
        try await server.steering(as: "olga").delete(streams[index].started.session)
      }
      try await server.sessionsActive(become: 3)
      let rest = try await list(server, 0, page.nextPageToken)
      #expect(rest.sessions.map(\.name) == ["sessions/s-3", "sessions/s-4"])
      #expect(rest.nextPageToken.isEmpty)
    }
  }

  @Test func anInvalidPageIsRefused() async throws {
    try await TestServer.run { server in
      for size in [-1, .min] as [Int32] {
        let status = try await refusal { _ = try await list(server, size, "") }
        try #require(status).expect(.invalidArgument, field: "page_size")
      }
      for token in ["a/b", "..\u{0}", "ä", String(repeating: "a", count: 64)] {
        let status = try await refusal { _ = try await list(server, 1, token) }
        try #require(status).expect(.invalidArgument, field: "page_token")
      }
      let malformed = try await refusal { _ = try await server.ask(RPC.listSessions, [0xff]) }
      #expect(malformed?.code == .invalidArgument && malformed?.reason == "MALFORMED_REQUEST")
      #expect(try await list(server, 0, "").sessions.isEmpty)
    }
  }

  @Test func aSessionSaysAllThatIsKnownOfIt() async throws {
    try await TestServer.run { server in
      let before = Date.now.addingTimeInterval(-1)
      let start = Anechoic_V1_Start.mediaClock().with {
        $0.sessionID = "call-1"
        $0.muted = true
        $0.labels = ["room": "4"]
        $0.config.preferredMicMode = .wideSpectrum
      }
      let recording = try await RunningClient.run(server, start) { client, steering in
        try await steering.waitForFrames(20, of: client.session)
        let session = try await steering.get(client.session)
        #expect(session.name == "sessions/call-1" && session.labels == ["room": "4"])
        #expect(session.createTime.date > before && session.createTime.date < .now)
        #expect(session.mute.muted && session.mute.generation == 0)
        #expect(session.mute.source == .mediaClient && session.mute.actor == session.owner)
        #expect(session.owner == "ipv4:127.0.0.1")
        #expect(session.config.preferredMicMode == .wideSpectrum)
        #expect(session.activeMicMode == .wideSpectrum)
        #expect(session.injectionPermission == .undetermined && session.injectionAvailable)
        #expect(session.stats.flow.framesProcessed >= 20)
        #expect(session.stats.activeMicMode == .wideSpectrum)
        #expect(session.stats.timing.frameProcessingP99.nanos > 0)
        let listed = try await list(server, 0, "").sessions
        #expect(listed.map(\.name) == [session.name] && listed.first?.hasStats == false)
        #expect(listed.first?.config == session.config)
      }
      #expect(recording.endReason == .clientClosed)
    }
  }

  private func start(_ count: Int, on server: TestServer) async throws -> [ProcessStream] {
    var streams: [ProcessStream] = []
    for index in 0..<count {
      streams.append(
        try await server.client.process(.mediaClock().with { $0.sessionID = "s-\(index)" }))
    }
    return streams
  }

  private func list(
    _ server: TestServer, _ size: Int32, _ token: String
  ) async throws -> Anechoic_V1_ListSessionsResponse {
    try await server.ask(
      RPC.listSessions,
      Anechoic_V1_ListSessionsRequest.with {
        $0.pageSize = size
        $0.pageToken = token
      }, Anechoic_V1_ListSessionsResponse.self)
  }
}
