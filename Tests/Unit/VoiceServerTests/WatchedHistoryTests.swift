import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

/// Past events for watchers, and their order.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct WatchedHistoryTests {
  @Test func aWatcherThatJoinsDuringChangesMissesNothing() async throws {
    try await TestServer.run(threads: 2) { server in
      let watched = try await withThrowingTaskGroup { group in
        let recording = try await RunningClient.run(server) { client, _ in
          try await withThrowingTaskGroup { changing in
            for worker in 0..<4 {
              changing.addTask {
                let steering = server.steering(as: "\(worker)")
                for _ in 0..<20 {
                  let mute = try await steering.get(client.session).mute
                  _ = try await steering.setMute(client.session, muted: !mute.muted)
                }
              }
            }
            let pace = Metronome(every: .milliseconds(1))
            for index in 0..<40 {
              let watch = try await server.steering(as: "watcher \(index)").watch(client.session)
              let snapshot = try #require(try await watch.receive())
              group.addTask { try await [snapshot] + watch.rest() }
              try await pace.beat(index + 1)
            }
            try await changing.waitForAll()
          }
        }
        return try await group.reduce(into: (recording, [[Anechoic_V1_WatchSessionResponse]]())) {
          $0.1.append($1)
        }
      }
      let (recording, responses) = watched
      let last = try #require(recording.events.last?.eventID)
      for all in responses {
        let snapshot = try #require(all.first?.snapshot)
        #expect(all.dropFirst().map(\.event.eventID) == Array((snapshot.lastEventID + 1)...last))
        // The snapshot is the result of the events up to its id.
        let before = recording.events.prefix(Int(snapshot.lastEventID)).last {
          $0.muteChanged.hasState
        }
        #expect(snapshot.mute.generation == before?.muteChanged.state.generation ?? 0)
      }
    }
  }

  @Test func exactlyAThousandEventsAreKept() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let (name, steering) = (stream.started.session, server.steering(as: "olga"))
      let frame = Data(AudioFormat.s16.babble(10))
      var events: UInt64 = 0
      var isMuted = false
      while events < 1002 {
        isMuted.toggle()
        // Sends a frame with each control, because controls have a rate limit by audio.
        try await stream.send(.with { $0.microphone.samples = frame })
        try await stream.send(.with { $0.setMute.muted = isMuted })
        var hasMute = false
        while !hasMute, let response = try await stream.receive() {
          if case .event(let event) = response.response {
            events = event.eventID
            hasMute = event.muteChanged.hasState
          }
        }
      }
      let oldest = events - 999
      let whole = try await steering.watch(name, fromEvent: oldest)
      #expect(try await whole.receive()?.snapshot.lastEventID == events)
      #expect(try await whole.receive()?.event.eventID == oldest)
      whole.cancel()
      for asked in [1, oldest - 1] {
        let watch = try await steering.watch(name, fromEvent: asked)
        #expect(try await watch.receive()?.gap.oldestEventID == oldest)
        #expect(try await watch.receive()?.snapshot.lastEventID == events)
        for id in oldest...events {
          #expect(try await watch.receive()?.event.eventID == id)
        }
        watch.cancel()
      }
      stream.cancel()
    }
  }

  @Test func anInvalidWatchIsRefused() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let (name, steering) = (stream.started.session, server.steering(as: "olga"))
      let next = try await steering.setMute(name, muted: true).state.generation + 1
      // The id of the next event is valid.
      let watch = try await steering.watch(name, fromEvent: next)
      #expect(try await watch.receive()?.snapshot.mute.muted == true)
      _ = try await steering.setMute(name, muted: false)
      #expect(try await watch.receive()?.event.eventID == next)
      for id in [0, next + 2, .max] as [UInt64] {
        let status = try await refusal {
          _ = try await steering.watch(name, fromEvent: id).receive()
        }
        try #require(status).expect(.invalidArgument, field: "from_event_id")
      }
      for interval in [.milliseconds(99), .seconds(-1), .seconds(3601)] as [Duration] {
        let status = try await refusal {
          _ = try await steering.watch(name, statsInterval: interval).receive()
        }
        try #require(status).expect(.invalidArgument, field: "stats_interval")
      }
      let twice = server.channel.call(
        Method(service: RPC.sessions, name: RPC.watchSession), timeout: .seconds(20))
      let request: [UInt8] = try Anechoic_V1_WatchSessionRequest.with { $0.name = name }
        .serializedBytes()
      let status = try await refusal {
        for _ in 0..<2 { try await twice.send(request) }
        while try await twice.receive() != nil {}
      }
      #expect(status?.code == .invalidArgument, "\(String(describing: status))")
      stream.cancel()
    }
  }
}
