import AnechoicAPI
import Foundation
import TestNetwork
import Testing
import VoiceClient

/// The calls of the live page, through real sockets and with real sessions.
@Suite(.timeLimit(.minutes(1)))
struct LivePageTests {
  @Test(arguments: ["/live", "/live/main.js", "/live/live.css", "/live/icon.svg"])
  func theFilesMayOnlyUseThisServer(path: String) async throws {
    try await PageServer.run { server in
      let answer = try Answer(
        RawHTTPClient.exchange(server.address, "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"))
      #expect(answer.status == 200 && !answer.body.isEmpty)
      #expect(answer.head.contains("default-src 'none'; script-src 'self'; style-src 'self'"))
      #expect(answer.head.contains("X-Frame-Options: DENY"))
      #expect(answer.head.contains("X-Content-Type-Options: nosniff"))
      #expect(!answer.head.contains("unsafe"))
      let post = try RawHTTPClient.exchange(
        server.address, "POST \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(post.hasPrefix("HTTP/1.1 405 "))
    }
  }

  @Test func sessionsAreListedWithTheirLabels() async throws {
    try await PageServer.run { server in
      let name = "<img src=x onerror=alert(1)>"
      let stream = try await server.session("call-1", labels: ["room": name])
      let answer = try server.call("ListSessions", "{}")
      #expect(answer.status == 200 && answer.head.contains("Content-Type: application/json"))
      let list = try answer.message(Anechoic_V1_ListSessionsResponse.self)
      #expect(list.sessions.map(\.name) == ["sessions/call-1"])
      #expect(list.sessions[0].labels == ["room": name])
      stream.cancel()
    }
  }

  @Test func aCallIsControlledAndAudited() async throws {
    try await PageServer.run { server in
      let stream = try await server.session("call-1")
      let name = "\"name\":\"sessions/call-1\""
      let muted = try server.call("SetMute", "{\(name),\"muted\":true,\"ifGeneration\":\"0\"}")
        .message(Anechoic_V1_SetMuteResponse.self)
      #expect(muted.state.muted && muted.state.actor == "live page")
      try server.call("SetMute", "{\(name),\"ifGeneration\":\"0\"}").expect(409, "STALE_GENERATION")
      let updated = try server.call(
        "UpdateSession",
        "{\"session\":{\(name),\"config\":{\"preferredMicMode\":\"MIC_MODE_VOICE_ISOLATION\"}},"
          + "\"updateMask\":\"config.preferredMicMode\"}"
      ).message(Anechoic_V1_UpdateSessionResponse.self)
      #expect(updated.session.config.preferredMicMode == .voiceIsolation)
      #expect(
        server.audits.all.map { "\($0["action"] ?? "") \($0["outcome"] ?? "")" } == [
          "SetMute OK", "SetMute ABORTED", "UpdateSession OK",
        ])
      #expect(server.audits.all.allSatisfy { $0["principal"] == "live page" })
      #expect(server.audits.all.allSatisfy { $0["host"] == "ipv4:127.0.0.1" })
      stream.cancel()
    }
  }

  @Test(arguments: [
    ("{\"pageSize\":\"many\"}", "pageSize: "), ("{\"page\":1}", "page: there is no such field"),
    ("{\"pageSize\":", ""), ("[]", ""),
  ])
  func aMessageThatIsWrongNamesItsField(body: String, field: String) async throws {
    try await PageServer.run { server in
      let answer = try server.call("ListSessions", body)
      answer.expect(400, field.isEmpty ? "MALFORMED_REQUEST" : "INVALID_FIELD")
      #expect(field.isEmpty || answer.body.contains(field), "\(answer.body)")
    }
  }

  @Test func speechNeedsThePermissionOfTheMediaClient() async throws {
    try await PageServer.run { server in
      let stream = try await server.session("call-1")
      let body = "{\"start\":{\"name\":\"sessions/call-1\"}}\n{\"text\":\"Hello\"}"
      try server.call("InjectSpeech", body).expect(400, "INJECTION_NOT_PERMITTED")
      try server.call("InjectSpeech", "{\"text\":\"Hello\"}").expect(400, "INVALID_FIELD")
      try server.call("InjectSpeech", "").expect(400, "INVALID_FIELD")
      #expect(server.audits.all.first?["action"] == "InjectSpeech")
      stream.cancel()
    }
  }

  @Test func aWatcherGetsSnapshotEventsAndTheEnd() async throws {
    try await PageServer.run { server in
      let stream = try await server.session("call-1")
      let name = "{\"name\":\"sessions/call-1\"}"
      let watcher = try server.begin("WatchSession", name)
      var text = watcher.next()
      while !text.contains("\"snapshot\"") { text += watcher.next() }
      #expect(
        try server.call("SetMute", String(name.dropLast()) + ",\"muted\":true}").status == 200)
      #expect(try server.call("DeleteSession", name).status == 200)
      text += watcher.rest()
      let answer = try Answer(text)
      #expect(answer.status == 200 && answer.head.contains("Content-Type: text/event-stream"))
      #expect(answer.body.contains("\"muteChanged\"") && answer.body.contains("\"sessionEnded\""))
      #expect(answer.body.hasSuffix("event: end\ndata: {\"code\":\"OK\"}\n\n"))
      try server.call("WatchSession", name).expect(404, "NO_SESSION")
      stream.cancel()
    }
  }

  @Test func statisticsComeUntilTheWatcherLeaves() async throws {
    try await PageServer.run { server in
      let stream = try await server.session("call-1")
      let watcher = try server.begin(
        "WatchSession", "{\"name\":\"sessions/call-1\",\"statsInterval\":\"0.1s\"}")
      var text = ""
      while text.components(separatedBy: "\"stats\"").count < 4 { text += watcher.next() }
      watcher.reset()
      #expect(try server.call("ListSessions", "{}").status == 200)
      try server.call(
        "WatchSession", "{\"name\":\"sessions/call-1\",\"statsInterval\":\"0.01s\"}"
      ).expect(400, "INVALID_FIELD")
      stream.cancel()
    }
  }

  @Test(arguments: [
    ("{", 400), ("[]", 400), ("{\"nothing\":1}", 400), ("{\"pageSize\":-1}", 400),
    ("{\"pageSize\":\"x\"}", 400), (String(repeating: "[", count: 20_000), 400),
    (String(repeating: " ", count: 40_000), 413),
  ])
  func nonsenseIsRefused(body: String, status: Int) async throws {
    try await PageServer.run { server in
      let answer = try server.call("ListSessions", body)
      #expect(answer.status == status)
    }
  }

  @Test(arguments: [
    ["Origin": "http://evil.example"], ["Origin": "null"], ["Host": "evil.example"],
    ["Sec-Fetch-Site": "cross-site"], ["Host": "[::1].evil.example"],
  ])
  func otherPagesAreRefused(headers: [String: String]) async throws {
    try await PageServer.run { server in
      let answer = try server.call("ListSessions", "{}", headers: headers)
      #expect(answer.status == 403)
    }
  }

  @Test func aFormOfAnotherPageIsRefused() async throws {
    try await PageServer.run { server in
      for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let answer = try server.call("ListSessions", "{}", headers: ["Content-Type": type])
        #expect(answer.status == 415)
      }
    }
  }

  @Test(arguments: ["RecordSession", "Process", "Nothing", "SetMute/", ""])
  func otherMethodsDoNotExist(method: String) async throws {
    try await PageServer.run { server in
      let answer = try server.call(method, "{}")
      #expect(answer.status == 404)
    }
  }

  @Test func aPageThatIsOffSaysWhy() async throws {
    try await PageServer.run(refusal: "the live page is off: for a test") { server in
      let page = try RawHTTPClient.exchange(server.address, "GET /live HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(page.hasPrefix("HTTP/1.1 403 ") && page.hasSuffix("off: for a test\n"))
      #expect(try server.call("ListSessions", "{}").status == 403)
    }
  }
}
