import AnechoicAPI
import AudioCore
import Authentication
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestCredentials
import Testing
import TestTime
import VoiceClient

@testable import VoiceServer

/// The table of docs/security.md, walked cell by cell over real sockets.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AccessTableTests {
  /// The content of a cell.
  enum Cell: String {
    /// The call works for the owner of the session. For a stranger, the session does not exist.
    case own
    /// The call works for everyone who knows the name of the session.
    case any
    /// The call works. It does not act on the session of another client.
    case yes
    /// The scope is missing.
    case no = "–"
  }

  /// The end of a call with a token, as far as the table describes it.
  enum Outcome: Equatable {
    case works
    case noSession
    case scopeMissing
    case other(Status)
  }

  /// A method of the table, and a request that acts on the session `sessions/tested`.
  struct Row: Sendable, CustomTestStringConvertible {
    let method: GRPCTransport.Method
    let request: [UInt8]
    var testDescription: String { method.name }

    static var all: [Row] {
      get throws {
        let session = "sessions/tested"
        let own = Anechoic_V1_ProcessRequest.start(.mediaClock())
        let recorder = Anechoic_V1_RecordSessionRequest.with {
          $0.name = session
          $0.wait = .init(seconds: 0, nanos: 20_000_000)
        }
        let injection = Anechoic_V1_InjectSpeechRequest.with {
          $0.start.name = session
          $0.start.format = Anechoic_V1_AudioFormat(.s16)
        }
        let voice = RPC.voiceProcessing
        return try [
          Row(
            method: .init(service: voice, name: RPC.process), request: own.serializedBytes()),
          Row(method: .init(service: voice, name: RPC.getCapabilities), request: []),
          // The request has the token of the session, which is made by the server.
          Row(method: .init(service: voice, name: RPC.joinSession), request: []),
          Row(method: .init(service: RPC.sessions, name: RPC.listSessions), request: []),
          // The server reads no profiles, so that the call fails after the check.
          Row(method: .init(service: RPC.profiles, name: RPC.uploadProfile), request: []),
          Row(method: .init(service: RPC.profiles, name: RPC.listProfiles), request: []),
          Row(
            method: .init(service: RPC.profiles, name: RPC.deleteProfile),
            request: Anechoic_V1_DeleteProfileRequest.with { $0.profileID = "tested" }
              .serializedBytes()),
          Row(
            method: .init(service: RPC.sessions, name: RPC.recordSession),
            request: recorder.serializedBytes()),
          Row(
            method: .init(service: RPC.sessions, name: RPC.getInjectionStatus),
            request: Anechoic_V1_GetInjectionStatusRequest.with { $0.name = session }
              .serializedBytes()),
          Row(method: .init(service: RPC.sessions, name: RPC.watchInjection), request: []),
          Row(
            method: .init(service: RPC.sessions, name: RPC.injectSpeech),
            request: injection.serializedBytes()),
          Row(
            method: .init(service: RPC.routing, name: RPC.arbitrate),
            request: Anechoic_V1_ArbitrateRequest.with { $0.register.machine = "desk" }
              .serializedBytes()),
          Row(method: .init(service: RPC.routing, name: RPC.getRouting), request: []),
          Row(
            method: .init(service: RPC.routing, name: RPC.chooseHolder),
            request: Anechoic_V1_ChooseHolderRequest.with {
              ($0.headset, $0.machine) = ("headset", "desk")
            }.serializedBytes()),
        ]
          + SessionMethod.all.filter { $0.name != RPC.injectSpeech }.map {
            Row(
              method: .init(service: RPC.sessions, name: $0.name),
              request: try $0.request(session))
          }
      }
    }
  }

  /// The cells of the page by the names of methods and scopes.
  private static func page() throws -> [String: [Scope: Cell]] {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../docs/security.md")
    let lines = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
      .split(separator: "\n").filter { $0.hasPrefix("| ") }
    func cells(_ line: Substring) -> [String] {
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let head = try #require(lines.first { $0.contains("| `media` |") })
    let scopes = try cells(head).dropFirst().map {
      try #require(Scope(rawValue: $0.replacing("`", with: "")))
    }
    var table: [String: [Scope: Cell]] = [:]
    for line in lines.map(cells) where line.count == scopes.count + 1 {
      guard let name = line.first, name.hasPrefix("`"), name != "`media`" else { continue }
      let values = line.dropFirst().compactMap(Cell.init)
      guard values.count == scopes.count else { continue }
      table[name.replacing("`", with: "")] = Dictionary(
        uniqueKeysWithValues: zip(scopes, values))
    }
    return table
  }

  @Test func thePageHasEveryMethod() throws {
    let page = try Self.page()
    let names = try Row.all.map(\.method.name)
    #expect(Set(page.keys) == Set(names))
    #expect(Set(AccessRule.all.keys) == Set(try Row.all.map(\.method)))
    #expect(page.values.allSatisfy { Set($0.keys) == Set(Scope.allCases) })
  }

  @Test func everyMethodOfTheServerHasARule() throws {
    let live = LiveConfiguration(TestServer.configuration())
    let services =
      SessionService(directory: SessionDirectory(maximum: 1), live: live) { 0 }.methods
      + RoutingService(live: live).methods
      + ProfileService(store: ProfileStore(), log: .silent).methods
    let methods = services.map(\.method)
    #expect(methods.allSatisfy { AccessRule.all[$0] != nil })
    #expect(AccessRule.of(Method(service: "any", name: "Other")).scope == .admin)
  }

  @Test(arguments: try Row.all)
  func everyCellHolds(row: Row) async throws {
    let cells = try #require(try Self.page()[row.method.name])
    let profiles = ProfileStore()
    try await TokenServer.run {
      $0.profiles = profiles
      $0.allowsRecording = true
      // Requests for permission are then answered at once.
      $0.injection.set(false)
    } _: { tokens in
      for scope in Scope.allCases {
        for name in ["owner", "stranger"] {
          let expected: Outcome =
            switch cells[scope] {
            case .yes, .any: .works
            case .own: name == "owner" ? .works : .noSession
            case .no, nil: .scopeMissing
            }
          _ = try profiles.store(
            TestProfile.generic, as: "tested",
            of: ProfileOwner(
              Principal(name: "owner", host: "", scopes: [], isVerified: true)))
          let outcome = try await outcome(of: row, as: name, scope, tokens)
          #expect(outcome == expected, "\(row.method.name), \(scope), \(name)")
        }
      }
      let anonymous = try await end(
        of: tokens.server.channel.call(row.method, timeout: .seconds(20)), row.method, row.request)
      #expect(anonymous.status.code == .unauthenticated, "\(row.method.name) without a token")
    }
  }

  @Test func healthAndReflectionNeedNoToken() async throws {
    try await TokenServer.run { tokens in
      #expect(try await tokens.server.client.health() == .serving)
      let reflection = tokens.server.channel.call(
        Method(service: RPC.reflection, name: RPC.serverReflectionInfo), timeout: .seconds(20))
      let request = Grpc_Reflection_V1_ServerReflectionRequest.with { $0.listServices = "" }
      try await reflection.send(request.serializedBytes())
      #expect(try await reflection.receive()?.isEmpty == false)
      reflection.halfClose()
    }
  }

  /// Calls the method as a client, while the session `tested` of the client `owner` runs.
  private func outcome(
    of row: Row, as name: String, _ scope: Scope, _ tokens: TokenServer
  ) async throws -> Outcome {
    let session = try await tokens.media("owner").process(
      .mediaClock().with {
        $0.sessionID = "tested"
        $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
        $0.outputs.playbackElsewhere = true
      })
    let join = Anechoic_V1_JoinSessionRequest.with { $0.token = session.started.joinToken }
    let request =
      row.method.name == RPC.joinSession ? try join.serializedBytes() : row.request
    let call = tokens.server.channel.call(
      row.method, metadata: try tokens.headers(name, scope.rawValue), timeout: .seconds(20))
    let (first, status) = try await end(of: call, row.method, request)
    session.cancel()
    try await free("tested", tokens)
    if row.method.name == RPC.listSessions, let first {
      let list = try Anechoic_V1_ListSessionsResponse(serializedBytes: first)
      return list.sessions.map(\.name) == ["sessions/tested"] ? .works : .noSession
    }
    if row.method.name == RPC.listProfiles, let first {
      let list = try Anechoic_V1_ListProfilesResponse(serializedBytes: first)
      return list.profiles.map(\.profileID) == ["tested"] ? .works : .noSession
    }
    switch (status.code, status.reason) {
    case (.ok, _), (.failedPrecondition, _): return .works
    case (.notFound, "NO_SESSION"), (.notFound, "JOIN_TOKEN_UNKNOWN"),
      (.notFound, "NO_PROFILE"):
      return .noSession
    case (.permissionDenied, "SCOPE_MISSING"): return .scopeMissing
    default: return .other(status)
    }
  }

  /// Returns the first message of a call and its status. A stream without an end is cancelled after
  /// the first message, and counts as OK.
  private func end(
    of call: ClientCall, _ method: GRPCTransport.Method, _ request: [UInt8]
  ) async throws -> (first: [UInt8]?, status: Status) {
    do {
      try await call.send(request)
      if method.name != RPC.process { call.halfClose() }
    } catch is Status {
      // `receive` throws the same error.
    }
    do {
      let first = try await call.receive()
      let endless = [RPC.process, RPC.joinSession, RPC.watchSession, RPC.watchInjection]
      if first != nil, endless.contains(method.name) {
        call.cancel()
        return (first, .ok)
      }
      while try await call.receive() != nil {}
      return (first, .ok)
    } catch let status as Status {
      return (nil, status)
    }
  }

  /// Waits until the id of a session is free again.
  private func free(_ id: String, _ tokens: TokenServer) async throws {
    let admin = try tokens.media("root", "admin")
    try await eventually("\(id) ends") { try await admin.capabilities().sessionsActive == 0 }
  }
}
