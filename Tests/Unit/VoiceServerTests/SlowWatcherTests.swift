import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// Watchers that do not read.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SlowWatcherTests {
  private static let method = Method(service: RPC.sessions, name: RPC.watchSession)

  @Test func aWatcherThatNeverReadsIsDisconnectedAndNobodyElseNotices() async throws {
    let clock = TestClock()
    try await TestServer.run {
      $0.clock = clock
    } _: { server in
      try await Bystander.watching(server) {
        let recording = try await RunningClient.run(server) { client, steering in
          let stubborn = try StubbornClient(server, Self.method, window: 0)
          let request: [UInt8] = try Anechoic_V1_WatchSessionRequest.with {
            $0.name = client.session
          }.serializedBytes()
          try stubborn.send([request], halfClosing: true)
          try await stubborn.waitForHeaders()
          let watch = try await steering.begunWatch(client.session)
          // A watcher has 10 s. The other clients read within a second.
          for _ in 0..<12 {
            let muted = try await steering.get(client.session).mute.muted
            _ = try await steering.setMute(client.session, muted: !muted)
            let told = try await watch.event { $0.muteChanged.hasState }.muteChanged.state
            #expect(told.muted == !muted)
            clock.advance(by: .seconds(1))
          }
          let trailers = try await stubborn.read().trailers
          #expect(trailers.contains("the watcher has not read its events"), "\(trailers)")
        }
        #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
      }
    }
  }

  @Test func aWatcherThatReadsLateGetsAllKeptEvents() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server) { client, steering in
        let watch = try await steering.begunWatch(client.session, statsInterval: .milliseconds(100))
        for index in 0..<150 {
          _ = try await steering.setMute(client.session, muted: index.isMultiple(of: 2))
        }
        var ids: [UInt64] = []
        while ids.count < 150, let response = try await watch.receive() {
          if case .event(let event) = response.item { ids.append(event.eventID) }
        }
        #expect(ids == Array(ids[0]..<ids[0] + 150))
      }
      #expect(recording.endReason == .clientClosed)
    }
  }
}
