import AnechoicAPI
import AudioCore
import BundledEngines
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient
import VoiceEngines
import VoiceServer

/// A second connection that watches a session.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct WatchTests {
  @Test func aWatcherGetsASnapshotAndThenEveryEventToTheEnd() async throws {
    try await TestServer.run { server in
      var watch: WatchStream?
      let recording = try await RunningClient.run(server) { client, steering in
        watch = try await steering.watch(client.session)
        for index in 0..<30 {
          _ = try await steering.setMute(client.session, muted: index.isMultiple(of: 2))
        }
      }
      let seen = try await Self.all(try #require(watch))
      #expect(seen.first?.snapshot.name == recording.started.session)
      let events = seen.dropFirst().map(\.event)
      #expect(events.map(\.eventID) == recording.events.map(\.eventID).suffix(events.count))
      #expect(events.last?.sessionEnded.reason == .clientClosed)
      #expect(events.filter { $0.muteChanged.state.actor == "olga" }.count == 30)
      #expect(recording.hasContiguousEvents)
    }
  }

  @Test func aWatcherCanRequestEarlierEvents() async throws {
    try await TestServer.run { server in
      _ = try await RunningClient.run(server) { client, steering in
        for index in 0..<10 {
          _ = try await steering.setMute(client.session, muted: index.isMultiple(of: 2))
        }
        let watch = try await steering.watch(client.session, fromEvent: 3)
        let snapshot = try await watch.receive()?.snapshot
        #expect(snapshot?.mute.generation == 10)
        for id in UInt64(3)...(snapshot?.lastEventID ?? 0) {
          #expect(try await watch.receive()?.event.eventID == id)
        }
        watch.cancel()
        let future = await #expect(throws: Status.self) {
          try await steering.watch(client.session, fromEvent: 1_000_000).receive()
        }
        #expect(future?.code == .invalidArgument)
        #expect(future?.message.hasPrefix("from_event_id") == true)
      }
    }
  }

  @Test func forgottenEventsAreReportedAsAGap() async throws {
    try await TestServer.run { server in
      // More events than the server keeps: two for each change of the mode.
      let changes = (0..<600).map { index in
        Anechoic_V1_ProcessRequest.update(UInt64(index), ["preferred_mic_mode"]) {
          $0.preferredMicMode = index.isMultiple(of: 2) ? .wideSpectrum : .standard
        }
      }
      let stream = try await server.client.process(.mediaClock())
      let session = stream.started.session
      let frame = Data(AudioFormat.s16.babble(10))
      for change in changes {
        // Sends a frame with each control, because controls have a rate limit by audio.
        try await stream.send(.with { $0.microphone.samples = frame })
        try await stream.send(change.control)
        while let response = try await stream.receive() {
          if case .controlResult = response.response { break }
        }
      }
      let steering = SessionsClient(server: server.address, clientName: "olga")
      let watch = try await steering.watch(session, fromEvent: 1)
      let gap = try await watch.receive()
      #expect((gap?.gap.oldestEventID ?? 0) > 1)
      #expect(try await watch.receive()?.snapshot.name == session)
      #expect(try await watch.receive()?.event.eventID == gap?.gap.oldestEventID)
      stream.finish()
      while try await stream.receive() != nil {}
    }
  }

  @Test func aThousandWatchersGetTheSameEventsAndTheAudioIsTheSame() async throws {
    let microphone = AudioFormat.s16.babble(3000)
    try await TestServer.run(threads: 2) { server in
      var watches: [(watch: WatchStream, lastEventID: UInt64)] = []
      let recording = try await RunningClient.run(server, microphone: microphone) {
        client, steering in
        for _ in 0..<1000 {
          let watch = try await steering.watch(client.session)
          let snapshot = try #require(try await watch.receive()).snapshot
          watches.append((watch, snapshot.lastEventID))
        }
        for index in 0..<10 {
          _ = try await steering.update(
            .with {
              $0.name = client.session
              $0.labels = ["a": "b"]
              $0.config.otherAudioDucking.level = index.isMultiple(of: 2) ? .mid : .max
            }, mask: ["labels", "config.other_audio_ducking"])
        }
      }
      let last = try #require(recording.events.last?.eventID)
      for (watch, lastEventID) in watches {
        let events = try await Self.all(watch).map(\.event)
        #expect(events.map(\.eventID) == Array((lastEventID + 1)...last))
        #expect(events.count >= 11 && events.last?.sessionEnded.reason == .clientClosed)
      }
      let frames = recording.processed.count / AudioFormat.s16.bytes(10)
      let sent = (0..<frames).flatMap { frame -> ArraySlice<UInt8> in
        let offset = frame * 320 % (microphone.count - 320)
        return microphone[offset..<offset + 320]
      }
      let alone = try await TestServer.run { server in
        try await server.record(.mediaClock(), microphone: sent)
      }
      #expect(recording.processed == alone.processed)
    }
  }

  @Test func statisticsComeAtTheInterval() async throws {
    try await TestServer.run { server in
      _ = try await RunningClient.run(server) { client, steering in
        let watch = try await steering.watch(client.session, statsInterval: .milliseconds(300))
        var counts: [UInt64] = []
        while counts.count < 3, let response = try await watch.receive() {
          if case .stats(let stats) = response.item { counts.append(stats.flow.framesProcessed) }
        }
        #expect(counts == counts.sorted() && Set(counts).count == 3)
      }
    }
  }

  @Test func aLostClientAndAStoppingServerHaveDifferentReasons() async throws {
    let server = try VoiceProcessingServer(
      ServerConfiguration(
        addresses: ["127.0.0.1:0"], threads: 1, engines: .bundled))
    let running = try TestServer(server)
    let steering = running.steering(as: "olga")
    let lost = try await running.client.process(.mediaClock())
    let lostWatch = try await steering.watch(lost.started.session)
    _ = try await lostWatch.receive()
    lost.cancel()
    #expect(try await Self.all(lostWatch).last?.event.sessionEnded.reason == .clientLost)

    let stopped = try await running.client.process(.mediaClock())
    let stoppedWatch = try await steering.watch(stopped.started.session)
    _ = try await stoppedWatch.receive()
    async let stopping: Void = server.stop(grace: .milliseconds(200))
    let events = try await Self.all(stoppedWatch).map(\.event)
    #expect(events.contains { $0.draining.hasEndsIn })
    #expect(events.last?.sessionEnded.reason == .serverShutdown)
    let status = await #expect(throws: Status.self) {
      while try await stopped.receive() != nil {}
    }
    #expect(status?.code == .unavailable)
    await stopping
  }

  private static func all(_ watch: WatchStream) async throws -> [Anechoic_V1_WatchSessionResponse] {
    var responses: [Anechoic_V1_WatchSessionResponse] = []
    while let response = try await watch.receive() { responses.append(response) }
    return responses
  }
}
