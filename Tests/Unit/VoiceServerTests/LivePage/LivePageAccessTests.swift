import AnechoicAPI
import Operations
import Testing
import VoiceClient

/// The calls of the page on a server that requires tokens.
@Suite(.timeLimit(.minutes(1)))
struct LivePageAccessTests {
  /// Each method with the scope that it needs, and a request about the session of olga.
  private static let methods = [
    ("ListSessions", "read", "{}"), ("GetSession", "read", name), ("WatchSession", "read", name),
    ("UpdateSession", "control", "{\"session\":\(name),\"updateMask\":\"labels\"}"),
    ("SetMute", "control", name), ("ReportMuteGesture", "control", name),
    ("DeleteSession", "control", name), ("RequestInjectionPermission", "inject", name),
    ("InjectSpeech", "inject", "{\"start\":\(name)}"),
  ]
  private static let name = "{\"name\":\"sessions/call-1\"}"

  @Test(arguments: LivePageAccessTests.methods)
  func aCallNeedsItsScope(method: String, scope: String, body: String) async throws {
    try await PageServer.run(tokens: true, hosts: .any) { server in
      try server.call(method, body).expect(401, "CREDENTIALS_MISSING")
      try server.call(method, body, headers: ["Authorization": "Bearer x.y.z"])
        .expect(401, "CREDENTIALS_INVALID")
      let others = ["media", "read", "control", "inject"].filter { $0 != scope }
      try server.call(
        method, body, headers: server.token("olga", others.joined(separator: " "))
      ).expect(403, "SCOPE_MISSING")
    }
  }

  @Test func theSessionsOfOthersDoNotExist() async throws {
    try await PageServer.run(tokens: true, hosts: .any) { server in
      let stream = try await server.session("call-1")
      let own = try server.token("olga", "read control inject")
      let foreign = try server.token("eve", "read control inject")
      let admin = try server.token("ada", "admin")
      for (headers, count) in [(own, 1), (foreign, 0), (admin, 1)] {
        let list = try server.call("ListSessions", "{}", headers: headers)
          .message(Anechoic_V1_ListSessionsResponse.self)
        #expect(list.sessions.count == count)
      }
      for (method, scope, body) in Self.methods where scope != "inject" && method != "ListSessions"
      {
        try server.call(method, body, headers: foreign).expect(404, "NO_SESSION")
      }
      let muted = try server.call(
        "SetMute", "{\"name\":\"sessions/call-1\",\"muted\":true}", headers: own)
      #expect(muted.status == 200)
      let line = try #require(server.audits.all.last)
      #expect(line["principal"] == "olga" && line["action"] == "SetMute" && line["outcome"] == "OK")
      stream.cancel()
    }
  }

  @Test func theNameOfTheHeaderDoesNotCountWithTokens() async throws {
    try await PageServer.run(tokens: true, hosts: .any) { server in
      let stream = try await server.session("call-1")
      let headers = try server.token("eve", "read control").merging(["anechoic-client": "olga"]) {
        $1
      }
      try server.call("GetSession", Self.name, headers: headers).expect(404, "NO_SESSION")
      stream.cancel()
    }
  }
}
