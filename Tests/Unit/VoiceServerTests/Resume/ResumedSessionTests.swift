import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import TestNetwork
import TestTime
import VoiceClient
import VoiceServer

/// Sessions whose client loses its connection and returns.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ResumedSessionTests {
  @Test func aLostConnectionSuspendsASessionWithoutLosingAnything() async throws {
    let whole = try await TestServer.run { server in
      let client = try await ResumingClient(server.client)
      try await client.talk(frames: 200)
      return try await client.finish()
    }
    try await TestServer.runWithProxy { server, proxy in
      let client = try await ResumingClient(proxy.client())
      #expect(client.stream.started.resumeToken.count == 16)
      #expect(client.stream.started.resumeWindow == Google_Protobuf_Duration(seconds: 10))
      try await client.talk(frames: 80)
      // The server processes these frames, and their output is lost on the way.
      try await client.talk(frames: 20, awaiting: false)
      try await server.steering(as: "olga").waitForFrames(100, of: client.session)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      let listed = try await server.steering(as: "olga").list()
      #expect(listed.count == 1 && listed.first?.state == .suspended)
      try await client.resume(on: proxy.client())
      try await server.session(client.session, becomes: .running)
      #expect(client.resumed.microphoneSample == 16_000 && client.resumed.concealedSamples == 0)
      #expect(client.resumed.lostSamples == 0 && client.resumed.processedSample == 12_800)
      #expect(client.resumed.hasSuspendedFor)
      try await client.talk(frames: 100)
      // Statistics are up to 100 ms old.
      try await server.steering(as: "olga").waitForFrames(200, of: client.session)
      let stats = try await server.steering(as: "olga").get(client.session).stats
      #expect(stats.flow.suspensions == 1 && stats.flow.outputSamplesLost == 0)
      let heard = try await client.finish()
      #expect(heard.processed == whole.processed)
      #expect(heard.hasContiguousEvents && heard.endReason == .clientClosed)
      #expect(heard.events.contains { $0.sessionSuspended.hasResumeWindow })
      #expect(heard.events.contains { $0.event == .sessionResumed(.init()) })
    }
  }

  /// As a telephone that changes from one network to another. Its old connection is still open.
  @Test(arguments: [nil, "kiosk"])
  func aClientWithAnotherAddressGoesOn(name: String?) async throws {
    try await TestServer.runWithProxy { server, proxy in
      let client = try await ResumingClient(proxy.client(as: name))
      try await client.talk(frames: 10)
      proxy.freeze()
      proxy.call(from: "127.0.0.9")
      try await client.resume(on: proxy.client(as: name))
      try await client.talk(frames: 10)
      let heard = try await client.finish()
      #expect(heard.frames.count == 20 && heard.endReason == .clientClosed)
    }
  }

  @Test func changesWhileSuspendedAndPermissionsSurvive() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let start = Anechoic_V1_Start.mediaClock().with {
        $0.config.preferredInjectionMode = .spokenAudio
        $0.config.mute.gesturePolicy = .apply
        $0.labels = ["room": "blue"]
      }
      let client = try await ResumingClient(proxy.client(as: "kiosk"), start)
      let name = client.session
      let olga = server.steering(as: "olga")
      try await client.talk(frames: 20)
      async let permission = olga.requestInjectionPermission(name, usageDescription: "to greet")
      try await client.hear { $0.injectionPermissionRequested.client == "olga" }
      try await client.stream.send(
        .with {
          $0.controlID = 1
          $0.decideInjectionPermission.client = "olga"
          $0.decideInjectionPermission.grant = true
        })
      try await client.hear { $0.injectionPermissionChanged.client == "olga" }
      #expect(try await permission == .granted)
      let watch = try await olga.begunWatch(name)
      proxy.cut()
      _ = try await watch.event { $0.sessionSuspended.hasResumeWindow }

      #expect(try await olga.setMute(name, muted: true).state.muted)
      _ = try await olga.update(
        .with {
          $0.name = name
          $0.config.preferredMicMode = .voiceIsolation
        }, mask: ["config.preferred_mic_mode"])
      let press = try await olga.reportMuteGesture(name, id: "press")
      #expect(press.outcome == .ignored && press.state.muted)
      let injection = try await refusal {
        let speech = try await olga.injectSpeech(
          .with {
            $0.name = name
            $0.format = Anechoic_V1_AudioFormat(.s16)
          })
        _ = try await speech.finish()
      }
      #expect(injection?.reason == "INJECTION_UNAVAILABLE")

      try await client.resume(on: proxy.client(as: "kiosk")) {
        // A start that resumes changes none of these.
        $0.muted = false
        $0.labels = [:]
        $0.config = .init()
      }
      #expect(client.session == name)
      #expect(client.stream.started.mute.muted && client.stream.started.mute.actor == "olga")
      #expect(client.stream.started.config.preferredMicMode == .voiceIsolation)
      _ = try await watch.event { $0.event == .sessionResumed(.init()) }
      try await client.talk(frames: 30)
      let session = try await olga.get(name)
      #expect(session.mute.muted && session.injectionPermission == .granted)
      #expect(session.state == .running && session.labels == ["room": "blue"])
      #expect(session.injectionAvailable)
      let heard = try await client.finish()
      #expect(heard.hasContiguousEvents)
      #expect(heard.frames.suffix(20).allSatisfy { $0.muted })
      watch.cancel()
    }
  }

  @Test func theGapOfAMicrophoneIsConcealedAndReported() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let start = Anechoic_V1_Start.mediaClock().with { $0.pacing = .realTime }
      let client = try await ResumingClient(proxy.client(), start)
      try await client.talk(frames: 30)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      try await client.resume(on: proxy.client(), at: 4800 + 32_000)
      #expect(client.resumed.concealedSamples == 32_000)
      #expect(client.resumed.microphoneSample == 36_800)
      try await client.talk(frames: 20)
      let gap = try await client.hear { $0.discontinuity.missingSamples > 0 }
      #expect(gap.discontinuity.missingSamples == 32_000)
      #expect(gap.discontinuity.reason == .connectionLost && gap.discontinuity.input == .microphone)
      let olga = server.steering(as: "olga")
      try await eventually("the gap is concealed") {
        try await olga.get(client.session).stats.flow.samplesConcealed == 32_000
      }
      let stats = try await olga.get(client.session).stats
      // The gap was announced as a gap, so the microphone is not late.
      #expect(stats.flow.microphoneSamplesLate == 0)
      let heard = try await client.finish()
      #expect(heard.processed.count / 2 == 36_800 + 3200)
      #expect(!heard.events.contains { $0.captureWarning.problem == .late })
    }
  }

  @Test func noMoreThanTenSecondsAreConcealed() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let client = try await ResumingClient(proxy.client())
      try await client.talk(frames: 10)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      try await client.resume(on: proxy.client(), at: 1600 + 20 * 16_000)
      #expect(client.resumed.concealedSamples == 160_000)
      #expect(client.resumed.microphoneSample == 161_600)
      try await client.talk(frames: 10)
      let heard = try await client.finish()
      #expect(heard.endReason == .clientClosed)
    }
  }

  @Test func outputThatIsNoLongerKeptIsReportedAsLost() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let start = Anechoic_V1_Start.mediaClock().with { $0.pacing = .realTime }
      let client = try await ResumingClient(proxy.client(), start)
      try await client.talk(frames: 10)
      try await client.talk(frames: 90, awaiting: false)
      try await server.steering(as: "olga").waitForFrames(100, of: client.session)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      try await client.resume(on: proxy.client())
      // Real time keeps 500 ms.
      #expect(client.resumed.lostSamples == 40 * 160)
      #expect(client.resumed.processedSample == 50 * 160)
      try await client.talk(frames: 10)
      // Statistics may be 100 ms old.
      try await eventually("the loss is counted") {
        let stats = try await server.steering(as: "olga").get(client.session).stats
        return stats.flow.outputSamplesLost == 40 * 160
      }
      let heard = try await client.finish()
      #expect(heard.processed.count / 2 == 110 * 160)
    }
  }

  @Test func aRightTokenTakesASessionOverThatStillHasItsConnection() async throws {
    try await TestServer.runWithProxy(threads: 3) { server, proxy in
      let client = try await ResumingClient(proxy.client())
      try await client.talk(frames: 20)
      // The network is silent. The server has noticed nothing.
      proxy.freeze()
      for round in 1...6 {
        let before = client.stream
        try await client.resume(on: VoiceProcessingClient(server: server.address))
        #expect(!client.resumed.suspendedFor.isNegative && client.resumed.lostSamples == 0)
        try await client.talk(frames: 20)
        if round > 1 {
          let status = try await refusal { while try await before.receive() != nil {} }
          #expect(status?.code == .aborted && status?.reason == "TAKEN_OVER", "\(status as Any)")
        }
      }
      #expect(try await server.steering(as: "olga").list().count == 1)
      let heard = try await client.finish()
      #expect(heard.hasContiguousEvents && heard.processed.count / 2 == 140 * 160)
      #expect(heard.events.count { $0.sessionSuspended.hasResumeWindow } == 6)
    }
  }

  @Test func theWindowEndsWithALostClient() async throws {
    let clock = TestClock()
    try await TestServer.runWithProxy {
      $0.clock = clock
    } _: { server, proxy in
      let start = Anechoic_V1_Start.mediaClock().with { $0.resumeWindow.seconds = 9 }
      let client = try await ResumingClient(proxy.client(), start)
      #expect(client.stream.started.resumeWindow == start.resumeWindow)
      try await client.talk(frames: 10)
      let watch = try await server.steering(as: "olga").begunWatch(client.session)
      proxy.cut()
      _ = try await watch.event { $0.sessionSuspended.hasResumeWindow }
      clock.advance(by: .seconds(8))
      try await remains("suspended", for: .milliseconds(50)) {
        try await server.steering(as: "olga").get(client.session).state == .suspended
      }
      clock.advance(by: .seconds(1))
      let end = try await watch.event { $0.sessionEnded.reason != .unspecified }
      #expect(end.sessionEnded.reason == .clientLost)
      try await server.hasNoSessions()
      let status = try await refusal { try await client.resume(on: proxy.client()) }
      #expect(status?.code == .notFound && status?.reason == "RESUME_TOKEN_UNKNOWN")
    }
  }

  @Test func aSessionEndsWithItsConnectionIfNobodyWantsToResumeIt() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let start = Anechoic_V1_Start.mediaClock().with { $0.resumeWindow = .init() }
      let client = try await ResumingClient(proxy.client(), start)
      #expect(client.stream.started.resumeToken.isEmpty)
      #expect(!client.stream.started.hasResumeWindow)
      try await client.talk(frames: 10)
      // A session that has received nothing has nothing to continue.
      let other = try await ResumingClient(proxy.client())
      #expect(!other.stream.started.resumeToken.isEmpty)
      proxy.cut()
      try await server.hasNoSessions()
    }
  }

  @Test func aStoppingServerEndsSuspendedSessionsAtOnce() async throws {
    var configuration = ServerConfiguration(
      addresses: ["127.0.0.1:0"], threads: 1, engines: TestServer.engines)
    configuration.limits.resumeWindow = .seconds(60)
    let server = try VoiceProcessingServer(configuration)
    let test = try TestServer(server)
    let proxy = try TCPProxy(to: test.address)
    defer { proxy.stop() }
    let client = try await ResumingClient(proxy.client())
    try await client.talk(frames: 10)
    let watch = try await test.steering(as: "olga").begunWatch(client.session)
    proxy.cut()
    _ = try await watch.event { $0.sessionSuspended.hasResumeWindow }
    let began = ContinuousClock.now
    async let stopped: Void = server.stop(grace: .seconds(30))
    let end = try await watch.event { $0.sessionEnded.reason != .unspecified }
    #expect(end.sessionEnded.reason == .serverShutdown)
    await stopped
    #expect(.now - began < .seconds(10))
  }

  @Test func aSessionWithASuspensionReplaysBitForBit() async throws {
    try await TestServer.runWithProxy {
      $0.allowsRecording = true
    } _: { server, proxy in
      let call = try await RecordedCall.run(server) {
        let client = try await ResumingClient(
          proxy.client(), RecordedCall.start.with { $0.pacing = .realTime })
        let olga = server.steering(as: "olga")
        try await client.talk(frames: 50)
        proxy.cut()
        try await server.session(client.session, becomes: .suspended)
        _ = try await olga.setMute(client.session, muted: true)
        _ = try await olga.setMute(client.session, muted: false)
        try await client.resume(on: proxy.client(), at: 50 * 160 + 8000)
        try await client.talk(frames: 50)
        proxy.freeze()
        try await client.resume(on: proxy.client())
        try await client.talk(frames: 50)
        return try await client.finish()
      }
      #expect(call.heard.events.count { $0.sessionSuspended.hasResumeWindow } == 2)
      try call.expectSame()
    }
  }
}

extension Google_Protobuf_Duration {
  fileprivate var isNegative: Bool { seconds < 0 || nanos < 0 }
}
