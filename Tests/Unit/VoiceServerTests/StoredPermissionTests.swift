import AnechoicAPI
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Synchronization
import TestCredentials
import Testing
import TestTime
import VoiceClient

@testable import VoiceServer

/// Decisions about injection that outlive their session.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct StoredPermissionTests {
  /// The answer to a request for permission, and whether the owner of the session was asked.
  private struct Answer: Equatable {
    let permission: Anechoic_V1_InjectionPermission
    let wasAsked: Bool
  }

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-permissions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var file: String { folder.appendingPathComponent("permissions.json").path }

  private func store() throws -> PermissionStore { try PermissionStore(path: file) { _ in } }

  /// Runs a server with tokens and stored permissions.
  private func run(_ body: (TokenServer) async throws -> Void) async throws {
    try await TokenServer.run {
      $0.permissions = try store()
      $0.allowsRecording = true
    } _: {
      try await body($0)
    }
  }

  /// Lets `doorbell` ask in a new session of `owner`, who decides if asked. Returns the permission,
  /// and whether the owner was asked.
  private func ask(
    _ tokens: TokenServer, owner: String, grant: Bool, remember: Bool, id: String = ""
  ) async throws -> Answer {
    let stream = try await tokens.media(owner).process(
      InjectedSession.start.with { $0.sessionID = id })
    let session = stream.started.session
    async let answer = tokens.steering("doorbell", "inject").requestInjectionPermission(
      session, usageDescription: "Doorbell")
    var wasAsked = false
    while let response = try await stream.receive() {
      if response.event.injectionPermissionRequested.client == "doorbell" {
        wasAsked = true
        try await stream.send(
          .with {
            $0.decideInjectionPermission.client = "doorbell"
            $0.decideInjectionPermission.grant = grant
            $0.decideInjectionPermission.remember = remember
          })
      }
      if response.event.injectionPermissionChanged.client == "doorbell" { break }
    }
    stream.finish()
    while try await stream.receive() != nil {}
    return Answer(permission: try await answer, wasAsked: wasAsked)
  }

  @Test func aStoredDecisionCountsInLaterSessionsAndAfterARestart() async throws {
    try await run { tokens in
      let first = try await ask(tokens, owner: "olga", grant: true, remember: true)
      #expect(first == Answer(permission: .granted, wasAsked: true))
      let later = try await ask(tokens, owner: "olga", grant: false, remember: true)
      #expect(later == Answer(permission: .granted, wasAsked: false))
      // Another owner decides for itself.
      let others = try await ask(tokens, owner: "paul", grant: false, remember: false)
      #expect(others == Answer(permission: .denied, wasAsked: true))
      let othersLater = try await ask(tokens, owner: "paul", grant: true, remember: false)
      #expect(othersLater == Answer(permission: .granted, wasAsked: true))
      try await saved(1)
    }
    try await run { tokens in
      let restarted = try await ask(tokens, owner: "olga", grant: false, remember: false)
      #expect(restarted == Answer(permission: .granted, wasAsked: false))
    }
  }

  @Test func aDecisionThatIsStoredAnswersTheClientInOtherSessions() async throws {
    try await run { tokens in
      let doorbell = try tokens.steering("doorbell", "inject")
      let waiting = try await tokens.media("olga").process(InjectedSession.start)
      async let answer = doorbell.requestInjectionPermission(
        waiting.started.session, usageDescription: "Doorbell")
      while try await waiting.receive()?.event.injectionPermissionRequested.client != "doorbell" {}
      // Another owner decides for itself.
      _ = try await ask(tokens, owner: "paul", grant: false, remember: true)
      let other = try await ask(tokens, owner: "olga", grant: true, remember: true)
      #expect(other == Answer(permission: .granted, wasAsked: true))
      #expect(try await answer == .granted)
      let event = try await waiting.receive()?.event.injectionPermissionChanged
      #expect(event?.client == "doorbell" && event?.permission == .granted)
      waiting.cancel()
    }
  }

  /// The grants that other sessions have from the store end. A grant of a session itself stays.
  @Test func aDenialThatIsStoredWithdrawsTheStoredGrantsOfOtherSessions() async throws {
    try await run { tokens in
      let doorbell = try tokens.steering("doorbell", "inject")
      _ = try await ask(tokens, owner: "olga", grant: true, remember: true)
      _ = try await ask(tokens, owner: "paul", grant: true, remember: true)
      let (stored, own, others) = (
        try await tokens.media("olga").process(InjectedSession.start),
        try await tokens.media("olga").process(InjectedSession.start),
        try await tokens.media("paul").process(InjectedSession.start)
      )
      try await own.send(
        .with {
          $0.decideInjectionPermission.client = "doorbell"
          $0.decideInjectionPermission.grant = true
        })
      while try await own.receive()?.event.injectionPermissionChanged.client != "doorbell" {}
      for stream in [stored, own, others] {
        let permission = try await doorbell.requestInjectionPermission(
          stream.started.session, usageDescription: "Doorbell")
        #expect(permission == .granted)
      }
      let last = try await tokens.media("olga").process(InjectedSession.start)
      try await last.send(
        .with {
          $0.decideInjectionPermission.client = "doorbell"
          $0.decideInjectionPermission.remember = true
        })
      var changes: [Anechoic_V1_InjectionPermission] = []
      while changes.last != .denied, let response = try await stored.receive() {
        let change = response.event.injectionPermissionChanged
        if change.client == "doorbell" { changes.append(change.permission) }
      }
      #expect(changes == [.granted, .denied])
      for stream in [own, others] {
        let permission = try await doorbell.requestInjectionPermission(
          stream.started.session, usageDescription: "Doorbell")
        #expect(permission == .granted)
      }
      for stream in [stored, own, others, last] { stream.cancel() }
    }
  }

  @Test func aRecordingReplaysAStoredDecision() async throws {
    try await run { tokens in
      _ = try await ask(tokens, owner: "olga", grant: true, remember: true)
      let recorder = try await tokens.steering("root", "admin").record("sessions/recorded")
      async let file = recorder.whole()
      let answer = try await ask(
        tokens, owner: "olga", grant: true, remember: true, id: "recorded")
      #expect(!answer.wasAsked)
      let replay = try Replay(await file)
      #expect(try replay.outcome.differsBy == nil)
      #expect(
        replay.events.map(\.injectionPermissionChanged.permission).contains(.granted))
      #expect(replay.events.allSatisfy { $0.injectionPermissionRequested.client.isEmpty })
    }
  }

  @Test(arguments: [false, true])
  func aServerThatCannotStoreSaysSo(hasTokens: Bool) async throws {
    // Decisions about clients that are not verified are not stored, although there is a file.
    func check(_ client: VoiceProcessingClient) async throws {
      let stream = try await client.process(InjectedSession.start)
      try await stream.send(
        .with {
          $0.controlID = 7
          $0.decideInjectionPermission.client = "doorbell"
          $0.decideInjectionPermission.remember = true
        })
      let result = try await stream.receive()?.controlResult
      #expect(result?.controlID == 7 && result?.refusal.reason == "PERMISSIONS_NOT_STORED")
      stream.cancel()
    }
    if hasTokens {
      try await TokenServer.run { try await check($0.media("olga")) }
    } else {
      try await TestServer.run {
        $0.permissions = try store()
      } _: {
        try await check($0.client)
      }
    }
  }

  @Test func theFileIsBoundedAndTheOwnerWithTheMostDecisionsLosesThem() throws {
    let store = try store()
    store.store(true, of: "olga", about: "doorbell")
    for index in 0..<PermissionStore.most { store.store(true, of: "eve", about: "\(index)") }
    #expect(store.decision(of: "olga", about: "doorbell") == true)
    #expect(store.decision(of: "eve", about: "0") == nil)
    #expect(store.decision(of: "eve", about: "\(PermissionStore.most - 1)") == true)
  }

  @Test func aFileThatCannotBeReadIsReported() throws {
    for text in ["garbage", "{}", "[{\"owner\":7}]"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      #expect(throws: PermissionStoreError.self) { try store() }
    }
    #expect(throws: PermissionStoreError.self) {
      try PermissionStore(path: "/dev/zero") { _ in }
    }
    // No program writes into this FIFO: a server that waited for one would never start.
    let fifo = folder.appendingPathComponent("fifo").path
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(throws: PermissionStoreError.self) { try PermissionStore(path: fifo) { _ in } }
  }

  @Test func aFileThatCannotBeWrittenIsReportedAndTheDecisionsCount() async throws {
    let (reports, report) = AsyncStream.makeStream(of: String.self)
    let missing = folder.appendingPathComponent("missing")
    let path = missing.appendingPathComponent("permissions.json").path
    #expect(throws: PermissionStoreError.self) { try PermissionStore(path: path) { _ in } }
    try FileManager.default.createDirectory(at: missing, withIntermediateDirectories: true)
    let store = try PermissionStore(path: path) { report.yield($0) }
    try FileManager.default.removeItem(at: missing)
    store.store(true, of: "olga", about: "doorbell")
    #expect(store.decision(of: "olga", about: "doorbell") == true)
    let text = await reports.first { _ in true }
    #expect(text?.contains("cannot be written: no such file or directory") == true, "\(text ?? "")")
  }

  /// Waits until the file contains this many decisions.
  private func saved(_ count: Int) async throws {
    try await eventually("the file has \(count) decisions") {
      let list =
        (try? JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file))))
        as? [Any]
      return list?.count == count
    }
  }
}
