import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Synchronization
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// Sessions whose playback another device plays.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct JoinedSessionTests {
  private static let start = EchoClient.playbackStart.with {
    $0.sessionID = "call"
    $0.outputs.playbackElsewhere = true
    $0.clearStatsInterval()
  }

  /// Adds 10 ms of the far end to each frame of a `RunningClient`.
  private static let addFarEnd: @Sendable (inout Anechoic_V1_AudioInput) -> Void = {
    $0.farEnd.samples = $0.microphone.samples
  }

  @Test func onlyTheOtherDeviceGetsThePlayback() async throws {
    try await TestServer.run(threads: 2) { server in
      let heard = Mutex<[Anechoic_V1_AudioChunk]>([])
      let recording = try await RunningClient.run(server, Self.start, adding: Self.addFarEnd) {
        client, sessions in
        let player = try await server.client.join(token: client.joinToken, session: "call")
        #expect(player.joined.session == "sessions/call")
        #expect(player.joined.playback == Anechoic_V1_AudioFormat(.s16))
        #expect(player.joined.chunkDuration.nanos == 10_000_000)
        while heard.withLock({ $0.count }) < 50, let chunk = try await player.receive() {
          heard.withLock { $0.append(chunk) }
        }
        #expect(try await sessions.get("sessions/call").playbackClient.isEmpty == false)
        player.cancel()
        try await eventually("nobody else plays") {
          try await sessions.get("sessions/call").playbackClient.isEmpty
        }
      }
      #expect(recording.playback.isEmpty && !recording.processed.isEmpty)
      let chunks = heard.withLock { $0 }
      for (chunk, next) in zip(chunks, chunks.dropFirst()) {
        #expect(next.firstSample == chunk.firstSample + Int64(chunk.samples.count / 2))
      }
      #expect(chunks.contains { $0.samples.contains { $0 != 0 } })
      let changes = recording.events.compactMap { event in
        if case .playbackClientChanged(let change) = event.event { change.joined } else { nil }
      }
      #expect(changes == [true, false])
    }
  }

  @Test func thePlaybackEndsWithTheSession() async throws {
    try await TestServer.run(threads: 2) { server in
      let player = Mutex<PlaybackStream?>(nil)
      _ = try await RunningClient.run(server, Self.start, adding: Self.addFarEnd) { client, _ in
        let stream = try await server.client.join(token: client.joinToken, session: "call")
        player.withLock { $0 = stream }
        try await client.waitForFrames(more: 20)
      }
      let stream = try #require(player.withLock { $0 })
      var samples = 0
      while let chunk = try await stream.receive() { samples += chunk.samples.count / 2 }
      #expect(samples >= 19 * 160)
    }
  }

  /// Half a minute, each second in one request.
  private static let seconds = (0..<30).map { second in
    Anechoic_V1_AudioInput.with {
      $0.microphone.samples = Data(AudioFormat.s16.babble(1000, seed: UInt32(second + 1)))
      $0.farEnd.samples = $0.microphone.samples
    }
  }

  /// A session under the media clock is much faster than its playback is heard.
  @Test func aQuickPlayerLosesNothingOfASessionUnderTheMediaClock() async throws {
    try await TestServer.run(threads: 2) { server in
      let stream = try await server.client.process(
        Self.start.with { $0.config.voiceProcessing.bypassed = true })
      let player = try await server.client.join(token: stream.started.joinToken, session: "call")
      async let heard = {
        var chunks: [Anechoic_V1_AudioChunk] = []
        while let chunk = try await player.receive() { chunks.append(chunk) }
        return chunks
      }()
      async let sending: Void = {
        for second in Self.seconds { try await stream.send(second) }
        stream.finish()
      }()
      while try await stream.receive() != nil {}
      try await sending
      var next: Int64 = 0
      for chunk in try await heard {
        #expect(chunk.firstSample == next)
        next = chunk.firstSample + Int64(chunk.samples.count / 2)
      }
      #expect(next == Int64(Self.seconds.count * 16_000))
    }
  }

  @Test func aPlayerThatLeavesHoldsNoSessionBack() async throws {
    try await TestServer.run(threads: 2) { server in
      let stream = try await server.client.process(Self.start)
      let player = try await server.client.join(token: stream.started.joinToken, session: "call")
      async let sending: Void = {
        for second in Self.seconds { try await stream.send(second) }
        stream.finish()
        player.cancel()
      }()
      while try await stream.receive() != nil {}
      try await sending
      try await server.sessionsActive(become: 0)
    }
  }

  @Test func aSecondPlayerTakesOver() async throws {
    try await TestServer.run(threads: 2) { server in
      _ = try await RunningClient.run(server, Self.start, adding: Self.addFarEnd) { client, _ in
        let first = try await server.client.join(token: client.joinToken, session: "call")
        let second = try await server.client.join(token: client.joinToken, session: "call")
        let status = try await refusal { while try await first.receive() != nil {} }
        #expect(status?.code == .aborted && status?.reason == "TAKEN_OVER")
        #expect(try await second.receive()?.samples.isEmpty == false)
        second.cancel()
        // The device may return.
        let third = try await server.client.join(token: client.joinToken, session: "call")
        #expect(try await third.receive() != nil)
      }
    }
  }

  @Test func aDeviceThatLeavesBeforeItHasJoinedDoesNotStay() async throws {
    try await TestServer.run(threads: 2) { server in
      _ = try await RunningClient.run(server, Self.start, adding: Self.addFarEnd) {
        client, sessions in
        let token = client.joinToken
        for delay in 0..<8 {
          let attempt = Task {
            try await server.client.join(token: token, session: "call").cancel()
          }
          for _ in 0..<(delay * 40) { await Task.yield() }
          attempt.cancel()
          _ = try? await attempt.value
        }
        try await eventually("nobody plays") {
          try await sessions.get("sessions/call").playbackClient.isEmpty
        }
      }
    }
  }

  @Test func aDeviceThatJoinsAgainAndAgainIsHeldBack() async throws {
    try await TestServer.run { server in
      _ = try await RunningClient.run(server, Self.start, adding: Self.addFarEnd) { client, _ in
        let status = try await refusal {
          for _ in 0..<30 {
            try await server.client.join(token: client.joinToken, session: "call").cancel()
          }
        }
        #expect(status?.code == .resourceExhausted && status?.reason == "TOO_MANY_JOINS")
      }
    }
  }

  @Test func wrongTokensAreRefused() async throws {
    try await TestServer.run { server in
      _ = try await RunningClient.run(server, Self.start, adding: Self.addFarEnd) { client, _ in
        for token in [Data([1, 2, 3]), client.joinToken + [0], Data(count: 4000)] {
          let status = try await refusal {
            _ = try await server.client.join(token: token, session: "")
          }
          #expect(status?.code == .notFound && status?.reason == "JOIN_TOKEN_UNKNOWN")
        }
        let oversized = try await refusal {
          _ = try await server.client.join(token: Data(count: 40_000), session: "")
        }
        #expect(oversized?.code == .resourceExhausted)
        let status = try await refusal {
          _ = try await server.client.join(token: Data(), session: "")
        }
        try #require(status).expect(.invalidArgument, field: "token")
      }
    }
  }

  @Test func anotherOwnerCannotJoin() async throws {
    try await TokenServer.run { tokens in
      let stream = try await tokens.media("olga").process(Self.start)
      let token = stream.started.joinToken
      let status = try await refusal {
        _ = try await tokens.media("eve").join(token: token, session: "call")
      }
      #expect(status?.reason == "JOIN_TOKEN_UNKNOWN")
      let player = try await tokens.media("olga").join(token: token, session: "call")
      player.cancel()
      stream.cancel()
    }
  }

  @Test func aStartWithoutPlaybackOrWithReferenceIsRefused() async throws {
    try await TestServer.run { server in
      let silent = Self.start.with { $0.outputs.clearPlayback() }
      let missing = try await server.status(after: [.start(silent)])
      try missing.expect(.invalidArgument, field: "start.outputs.playback_elsewhere")
      let both = Self.start.with { $0.inputs.reference = Anechoic_V1_AudioFormat(.s16) }
      let second = try await server.status(after: [.start(both)])
      try second.expect(.invalidArgument, field: "start.inputs.reference")
    }
  }

  /// A device that reads nothing loses the oldest playback, and disturbs nobody.
  @Test func aSlowPlayerLosesTheOldest() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await RunningClient.run(server, Self.start, adding: Self.addFarEnd) {
        client, _ in
        let player = try await server.client.join(token: client.joinToken, session: "call")
        try await client.waitForFrames(more: 300)
        player.cancel()
      }
      #expect(recording.status == nil && recording.endReason == .clientClosed)
    }
  }
}
