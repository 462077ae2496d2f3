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

/// Resumptions that a server refuses, and clients that want more than their sessions.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RefusedResumptionTests {
  private typealias Change = @Sendable (inout Anechoic_V1_Start) -> Void

  private static let differences: [(String, Change)] = [
    ("start.session_id", { $0.sessionID = "another" }),
    ("start.inputs.microphone", { $0.inputs.microphone.sampleRateHz = 48_000 }),
    ("start.inputs.reference", { $0.inputs.reference = $0.inputs.microphone }),
    ("start.inputs.far_end", { $0.inputs.farEnd = $0.inputs.microphone }),
    ("start.outputs.processed", { $0.outputs.processed = Anechoic_V1_AudioFormat(.widest) }),
    ("start.outputs.playback", { $0.outputs.playback = $0.inputs.microphone }),
    ("start.outputs.chunk_duration", { $0.outputs.chunkDuration.nanos = 20_000_000 }),
    ("start.pacing", { $0.pacing = .realTime }),
    ("start.stats_interval", { $0.statsInterval.seconds = 1 }),
    ("start.engine", { $0.engine = "another" }),
    ("start.resume_point.processed_samples", { $0.resumePoint.processedSamples = 1 << 40 }),
    ("start.resume_point.processed_samples", { $0.resumePoint.processedSamples = -1 }),
    ("start.resume_point.microphone_sample", { $0.resumePoint.microphoneSample = -1 }),
    ("start.resume_point.last_event_id", { $0.resumePoint.lastEventID = 1 << 40 }),
  ]

  @Test func aStartThatDiffersIsRefusedAndTheSessionWaitsOn() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let client = try await ResumingClient(proxy.client())
      try await client.talk(frames: 10)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      for (field, change) in Self.differences {
        let start = client.continuation(change)
        let status = try await server.status(after: [.start(start)])
        try status.expect(.invalidArgument, field: field)
        #expect(try await server.steering(as: "olga").get(client.session).state == .suspended)
      }
      try await client.resume(on: proxy.client())
      try await client.talk(frames: 10)
      let heard = try await client.finish()
      #expect(heard.endReason == .clientClosed)
    }
  }

  @Test func aWindowOrAPointThatIsImpossibleIsRefused() async throws {
    try await TestServer.runWithProxy { server, _ in
      let negative = Anechoic_V1_Start.mediaClock().with { $0.resumeWindow.seconds = -1 }
      try await server.status(after: [.start(negative)])
        .expect(.invalidArgument, field: "start.resume_window")
      let alone = Anechoic_V1_Start.mediaClock().with { $0.resumePoint.lastEventID = 0 }
      try await server.status(after: [.start(alone)])
        .expect(.invalidArgument, field: "start.resume_point")
      let long = try await server.client.process(
        .mediaClock().with { $0.resumeWindow.seconds = 900 })
      #expect(long.started.resumeWindow.seconds == 10)
      long.cancel()
    }
  }

  @Test func theTokenOfAnotherClientIsAsUnknownAsAWrongOne() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let client = try await ResumingClient(proxy.client(as: "kiosk"))
      try await client.talk(frames: 10)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      let right = client.stream.started.resumeToken
      var answers: Set<String> = []
      for (name, token) in [
        ("thief", right), ("kiosk", Data(right.reversed())), ("kiosk", Data(right.dropLast())),
        ("thief", Data(repeating: 7, count: 16)), ("kiosk", Data(count: 4000)),
      ] {
        let status = try await refusal {
          _ = try await VoiceProcessingClient(server: server.address, clientName: name)
            .process(client.continuation { $0.resumeToken = token })
        }
        #expect(status?.reason == "RESUME_TOKEN_UNKNOWN" && status?.code == .notFound)
        answers.insert(status?.message ?? "")
      }
      #expect(answers.count == 1)
      try await client.resume(on: proxy.client(as: "kiosk"))
      try await client.talk(frames: 10)
      _ = try await client.finish()
      // The token ends with its session.
      let late = try await refusal { try await client.resume(on: proxy.client(as: "kiosk")) }
      #expect(late?.reason == "RESUME_TOKEN_UNKNOWN")
    }
  }

  @Test func tenThousandGuessesAreBoundedAndKeepNobodyOut() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let client = try await ResumingClient(proxy.client())
      try await client.talk(frames: 10)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      let began = ContinuousClock.now
      var answers: [String: Int] = [:]
      for _ in 0..<100 {
        try await withThrowingTaskGroup(of: String?.self) { group in
          for _ in 0..<100 {
            let guess = client.continuation { start in
              start.resumeToken = Data((0..<16).map { _ in UInt8.random(in: 0...255) })
            }
            group.addTask {
              try await refusal { _ = try await server.client.process(guess) }?.reason
            }
          }
          for try await reason in group { answers[reason ?? "", default: 0] += 1 }
        }
      }
      let seconds = (ContinuousClock.now - began) / .seconds(1)
      #expect(answers.values.reduce(0, +) == 10_000 && answers.count == 2, "\(answers)")
      // 100 at once, and then 10 in a second.
      let answered = Double(answers["RESUME_TOKEN_UNKNOWN"] ?? 0)
      #expect(answered >= 100 && answered <= 101 + 10 * seconds, "\(answers) in \(seconds) s")
      #expect(answers["TOO_MANY_RESUMES"] != nil)
      if seconds < 9 {
        try await client.resume(on: proxy.client())
        try await client.talk(frames: 10)
        let heard = try await client.finish()
        #expect(heard.endReason == .clientClosed)
      }
      try await server.hasNoSessions()
    }
  }

  @Test func anIDThatWaitsForItsClientSaysSo() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let client = try await ResumingClient(proxy.client())
      try await client.talk(frames: 10)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      let id = String(client.session.dropFirst("sessions/".count))
      let start = Anechoic_V1_Start.mediaClock().with { $0.sessionID = id }
      let status = try await server.status(after: [.start(start)])
      #expect(status.reason == "SESSION_EXISTS")
      #expect(status.message.contains("waits for its lost client, for 10.0 seconds at most"))
    }
  }

  @Test func suspendedSessionsCountAsSessions() async throws {
    try await TestServer.runWithProxy {
      $0.limits.sessions = 3
      $0.limits.sessionsPerClient = 2
    } _: { server, proxy in
      var clients: [ResumingClient] = []
      for _ in 0..<2 {
        let client = try await ResumingClient(proxy.client())
        try await client.talk(frames: 10)
        clients.append(client)
      }
      proxy.cut()
      for client in clients { try await server.session(client.session, becomes: .suspended) }
      let third = try await server.status(after: [.start(.mediaClock())])
      #expect(third.reason == "CLIENT_FULL")
      // A client that resumes its own session needs no further place.
      for client in clients {
        try await client.resume(on: proxy.client())
        try await client.talk(frames: 10)
        _ = try await client.finish()
      }
      try await server.hasNoSessions()
    }
  }

  /// The session counts for its host until a resumption from another one is accepted.
  @Test func aRefusedResumptionFromAnotherHostTakesNoPlaceThere() async throws {
    try await TestServer.runWithProxy {
      $0.limits.sessionsPerClient = 1
    } _: { server, proxy in
      let client = try await ResumingClient(proxy.client())
      try await client.talk(frames: 10)
      proxy.cut()
      try await server.session(client.session, becomes: .suspended)
      proxy.call(from: "127.0.0.9")
      let changes: [Change] = [
        { $0.pacing = .realTime }, { $0.resumePoint.lastEventID = 1 << 40 },
      ]
      for change in changes {
        let refused = try await refusal { try await client.resume(on: proxy.client(), change) }
        #expect(refused?.code == .invalidArgument)
      }
      let other = try await proxy.client().process(.mediaClock())
      let before = try await server.status(after: [.start(.mediaClock())])
      #expect(before.reason == "CLIENT_FULL")
      let full = try await refusal { try await client.resume(on: proxy.client()) }
      #expect(full?.reason == "CLIENT_FULL")
      other.cancel()
      try await server.sessionsActive(become: 1)
      try await client.resume(on: proxy.client())
      let after = try await server.client.process(.mediaClock())
      after.cancel()
      _ = try await client.finish()
    }
  }

  @Test func twoHundredSessionsAreSuspendedAtOnceAndResumed() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let shared = proxy.client()
      let clients = try await withThrowingTaskGroup(of: UncheckedClient.self) { group in
        for _ in 0..<200 {
          group.addTask {
            let client = try await ResumingClient(shared)
            try await client.talk(frames: 5)
            return UncheckedClient(client: client)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      proxy.cut()
      let olga = server.steering(as: "olga")
      try await eventually("all are suspended") {
        try await olga.list().count { $0.state == .suspended } == 200
      }
      let began = ContinuousClock.now
      let again = proxy.client()
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for client in clients {
          group.addTask {
            try await client.client.resume(on: again)
            try await client.client.talk(frames: 5)
            let heard = try await client.client.finish()
            return heard.processed.count / 2 == 1600 && heard.hasContiguousEvents
          }
        }
        for try await isWhole in group { #expect(isWhole) }
      }
      print("200 sessions resumed, continued and ended in \(ContinuousClock.now - began)")
      try await server.hasNoSessions()
    }
  }
}

/// A client that one task uses after another.
private struct UncheckedClient: @unchecked Sendable {
  let client: ResumingClient
}
