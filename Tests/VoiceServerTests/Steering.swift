import AnechoicAPI
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

/// The session service in bare messages, as a client of another make would call it.
extension TestServer {
  /// One message out and one back, in the name of a client.
  func ask<Request: Message, Response: Message>(
    _ method: String, _ request: Request, as client: String = "olga", _: Response.Type
  ) async throws -> Response {
    try await Response(serializedBytes: ask(method, request.serializedBytes(), as: client))
  }

  func ask(_ method: String, _ message: [UInt8], as client: String = "olga") async throws -> [UInt8]
  {
    var metadata = Metadata()
    metadata.append(RPC.clientName, client)
    return try await channel.unary(
      Method(service: RPC.sessions, name: method), message, metadata: metadata,
      timeout: .seconds(20))
  }

  /// A client of the session service with a connection of its own.
  func steering(as client: String) -> SessionsClient {
    SessionsClient(server: address, clientName: client)
  }
}

/// The status that something is refused with; nil where it is not.
func refusal(_ body: () async throws -> Void) async throws -> Status? {
  do {
    try await body()
    return nil
  } catch let status as Status {
    return status
  }
}

extension Status {
  /// Of its `ErrorInfo`.
  var reason: String? { try? detail(Google_Rpc_ErrorInfo.self)?.reason }
}

extension SessionsClient {
  /// A watch that has begun: of what follows it misses nothing.
  func begunWatch(_ session: String, statsInterval: Duration? = nil) async throws -> WatchStream {
    let watch = try await watch(session, statsInterval: statsInterval)
    let first = try await watch.receive()
    try #require(first?.snapshot.name == session)
    return watch
  }

  /// Waits until a session has processed so many frames.
  func waitForFrames(_ count: UInt64 = 1, of session: String) async throws {
    let limit = ContinuousClock.now + .seconds(30)
    while try await get(session).stats.flow.framesProcessed < count {
      try #require(ContinuousClock.now < limit, "\(session) never processed \(count) frames")
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

extension WatchStream {
  /// The next event that fits; what comes before is passed over.
  func event(
    where fits: (Anechoic_V1_SessionEvent) -> Bool
  ) async throws -> Anechoic_V1_SessionEvent {
    while let response = try await receive() {
      if case .event(let event) = response.item, fits(event) { return event }
    }
    throw Status(.internal, "the watch has ended before the event came")
  }

  /// All that comes to the end.
  func rest() async throws -> [Anechoic_V1_WatchSessionResponse] {
    var responses: [Anechoic_V1_WatchSessionResponse] = []
    while let response = try await receive() { responses.append(response) }
    return responses
  }
}
