import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// Calls that take one message and receive a second one just when they end. Each test runs in a
/// process of its own, because libgrpc aborts the process if a call is ended twice.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SecondMessageTests {
  @Test func watchersMayNotEndTheServer() async {
    await #expect(processExitsWith: .success) {
      try await TestServer.run { server in
        for round in 0..<5 {
          try await watchersOfADeletedSession(server, count: 40 << min(round, 2))
        }
        try await #require(server.client.health() == .serving)
      }
    }
  }

  @Test func recordersMayNotEndTheServer() async {
    await #expect(processExitsWith: .success) {
      try await TestServer.run {
        $0.allowsRecording = true
      } _: { server in
        for _ in 0..<5 { try await recordersThatWaitInVain(server, count: 60) }
        try await #require(server.client.health() == .serving)
      }
    }
  }
}

/// Lets many watchers of one session send a second message while the session is deleted.
private func watchersOfADeletedSession(_ server: TestServer, count: Int) async throws {
  let stream = try await server.client.process(.mediaClock())
  let request: [UInt8] = try Anechoic_V1_WatchSessionRequest.with {
    $0.name = stream.started.session
  }.serializedBytes()
  let calls = (0..<count).map { _ in
    server.channel.call(Method(service: RPC.sessions, name: RPC.watchSession))
  }
  for call in calls {
    try await call.send(request)
    _ = try await call.receive()
  }
  async let deleted: Void = server.steering(as: "olga").delete(stream.started.session)
  await sendAnotherMessage(on: calls)
  try await deleted
  stream.cancel()
}

/// Lets many recorders whose sessions do not start send a second message when they are refused.
private func recordersThatWaitInVain(_ server: TestServer, count: Int) async throws {
  var calls: [ClientCall] = []
  for index in 0..<count {
    let request: [UInt8] = try Anechoic_V1_RecordSessionRequest.with {
      $0.name = "sessions/s-\(index)"
      $0.wait = Google_Protobuf_Duration(nanos: 1_000_000)
    }.serializedBytes()
    let call = server.channel.call(Method(service: RPC.sessions, name: RPC.recordSession))
    try await call.send(request)
    calls.append(call)
  }
  await sendAnotherMessage(on: calls)
}

/// Sends a message on each call within about 20 ms, and waits until all calls have ended.
private func sendAnotherMessage(on calls: [ClientCall]) async {
  await withTaskGroup { group in
    for (index, call) in calls.enumerated() {
      group.addTask {
        try? await realTime(.microseconds(index * 20_000 / calls.count))
        try? await call.send([])
        while (try? await call.receive()) != nil {}
      }
    }
  }
}
