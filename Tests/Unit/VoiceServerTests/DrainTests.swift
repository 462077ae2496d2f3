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

/// The end of the program `anechoic-server` while sessions run.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct DrainTests {
  private static let options = ["--allow-recording", "--frame-budget", "0"]
  private static let count = 50

  /// Half of the clients end their sessions when they hear of the end. The server ends the others.
  private static func closesItself(_ index: Int) -> Bool { index.isMultiple(of: 2) }
  private static func isInjected(_ index: Int) -> Bool { index < 5 }
  private static func isRecorded(_ index: Int) -> Bool { (5..<10).contains(index) }

  @Test func fiftySessionsWithWatchersRecordersAndInjectorsLoseNothing() async throws {
    let program = try ServerProgram(Self.options + ["--drain-time", "4"])
    let (server, identifier, ready) = (program.server, program.identifier, Count())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<Self.count {
        group.addTask { try await Self.runSession(index, server, ready) }
      }
      group.addTask {
        try await eventually("all are ready") { ready.value == Self.count }
        _ = kill(identifier, SIGTERM)
      }
      try await group.waitForAll()
    }
    #expect(try await program.exitCode() == 0)
  }

  @Test func aServerThatDrainsIsNotHealthyAndRefusesSessionsAndRecorders() async throws {
    let program = try ServerProgram(Self.options + ["--drain-time", "60"])
    let server = program.server
    let recording = try await RunningClient.run(server, Self.start(0)) { client, steering in
      let watch = try await steering.begunWatch(client.session)
      #expect(try await server.client.health() == .serving)
      program.signal(SIGTERM)
      let draining = try await watch.event(where: \.isDraining)
      #expect(draining.draining.endsIn.seconds == 60)
      #expect(try await server.client.health() == .notServing)
      let session = try await refusal { _ = try await server.client.process(.mediaClock()) }
      let recorder = try await refusal { _ = try await steering.record("sessions/later") }
      for refusal in [session, recorder] {
        #expect(refusal?.code == .unavailable && refusal?.reason == "DRAINING")
        #expect(try refusal?.detail(Google_Rpc_RetryInfo.self)?.retryDelay.seconds == 1)
      }
      // The session goes on, and is controlled and watched as before.
      try await client.waitForFrames(more: 3)
      #expect(try await steering.setMute(client.session, muted: true).state.muted)
      let late = try await steering.begunWatch(client.session)
      late.cancel()
    }
    #expect(recording.status == nil && recording.endReason == .clientClosed)
    // The server does not wait for the rest of the minute.
    #expect(try await program.exitCode() == 0)
  }

  @Test func aSecondSignalEndsTheSessionsNow() async throws {
    let program = try ServerProgram(Self.options + ["--drain-time", "3600"])
    let recording = try await RunningClient.run(program.server, Self.start(0)) { client, steering in
      let watch = try await steering.begunWatch(client.session)
      program.signal(SIGTERM)
      _ = try await watch.event(where: \.isDraining)
      try await client.waitForFrames(more: 3)
      // Signals within half a second of the first one do not count.
      try await realTime(.milliseconds(700))
      program.signal(SIGTERM)
      let last = try await watch.rest().last
      #expect(last?.event.sessionEnded.reason == .serverShutdown)
    }
    #expect(recording.status?.reason == "SERVER_SHUTDOWN")
    #expect(recording.isWhole)
    #expect(try await program.exitCode() == 0)
  }

  private static func start(_ index: Int) -> Anechoic_V1_Start {
    (isInjected(index) ? InjectedSession.start : .mediaClock()).with {
      $0.sessionID = isRecorded(index) ? "recorded-\(index)" : "drained-\(index)"
      $0.pacing = .realTime
    }
  }

  private static func runSession(
    _ index: Int, _ server: TestServer, _ ready: Count
  ) async throws {
    let start = start(index)
    let recorder =
      isRecorded(index)
      ? try await server.steering(as: "archive").record("sessions/\(start.sessionID)") : nil
    async let file = recorder?.whole()
    let frames = Count()
    // A frame of 10 ms every 100 ms leaves a debug build time for all sessions.
    let heard = try await RunningClient.run(server, start, pause: .milliseconds(100)) {
      client, steering in
      try await steering.waitForFrames(of: client.session)
      let watch = try await steering.begunWatch(client.session)
      let injection = isInjected(index) ? try await inject(client, server) : nil
      ready.add(1)
      _ = try await watch.event(where: \.isDraining)
      if closesItself(index) {
        client.stop()
      }
      let last = try await watch.rest().last
      #expect(
        last?.event.sessionEnded.reason
          == (closesItself(index) ? .clientClosed : .serverShutdown))
      frames.add(client.framesSent)
      if let injection {
        let refusal = try await refusal { _ = try await injection.finish() }
        #expect(refusal?.reason == "NO_SESSION" || refusal?.reason == "INJECTION_CANCELLED")
      }
    }
    let samples = frames.value * AudioFormat.s16.rate.samplesPerFrame
    let missing = samples - heard.processed.count / 2
    #expect(heard.isWhole)
    #expect(heard.events.contains { $0.isDraining })
    if closesItself(index) {
      #expect(heard.status == nil && missing == 0)
    } else {
      #expect(heard.status?.code == .unavailable && heard.status?.reason == "SERVER_SHUTDOWN")
      // The frame that crosses the end of the session on its way is not lost: the client knows that
      // the session ended before it.
      #expect(abs(missing) <= AudioFormat.s16.rate.samplesPerFrame)
    }
    if let file = try await file { try RecordedCall(heard: heard, file: file).expectSame() }
  }

  /// Begins an injection that lasts longer than the test.
  private static func inject(
    _ client: RunningClient, _ server: TestServer
  ) async throws -> InjectionStream {
    let session = InjectedSession(name: client.session, media: client, server: server)
    try await session.permit("doorbell")
    let injection = try await server.steering(as: "doorbell").injectSpeech(
      .with {
        $0.name = client.session
        $0.format = Anechoic_V1_AudioFormat(.s16)
      })
    for _ in 0..<5 {
      try await injection.send(.with { $0.samples = Data(AudioFormat.s16.babble(500)) })
    }
    return injection
  }
}

final class Count: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func add(_ more: Int) { count.add(more, ordering: .relaxed) }
}

extension Anechoic_V1_SessionEvent {
  fileprivate var isDraining: Bool {
    if case .draining = event { true } else { false }
  }
}

extension Recording {
  /// Whether events and samples have no holes, and the last event is the end after the last sample.
  fileprivate var isWhole: Bool {
    var next: Int64 = 0
    let size = Int64(AudioFormat.s16.rate.samplesPerFrame)
    for first in firstSamples {
      guard first == next else { return false }
      next += size
    }
    return hasContiguousEvents && endReason != nil && processed.count == 2 * Int(next)
      && events.last?.microphoneSample == next
  }
}
