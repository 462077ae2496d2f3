import AnechoicAPI
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

/// The session service with plain messages, as a foreign client calls it.
extension TestServer {
  /// Sends one request in the name of a client and returns the response.
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

  /// Returns a client of the session service with a connection of its own.
  func steering(as client: String) -> SessionsClient {
    SessionsClient(server: address, clientName: client)
  }
}

/// Returns the status with which a call is refused, or nil if it succeeds.
func refusal(_ body: () async throws -> Void) async throws -> Status? {
  do {
    try await body()
    return nil
  } catch let status as Status {
    return status
  }
}

extension Status {
  /// The reason in the `ErrorInfo`.
  var reason: String? { try? detail(Google_Rpc_ErrorInfo.self)?.reason }
}

extension SessionsClient {
  /// Returns a watch that has begun and misses nothing that follows.
  func begunWatch(_ session: String, statsInterval: Duration? = nil) async throws -> WatchStream {
    let watch = try await watch(session, statsInterval: statsInterval)
    let first = try await watch.receive()
    try #require(first?.snapshot.name == session)
    return watch
  }

  /// Waits until a session has processed this many frames.
  func waitForFrames(_ count: UInt64 = 1, of session: String) async throws {
    try await eventually("\(session) processes \(count) frames") {
      try await get(session).stats.flow.framesProcessed >= count
    }
  }
}

extension WatchStream {
  /// Returns the next event for which the condition is true, and skips the others.
  func event(
    where fits: (Anechoic_V1_SessionEvent) -> Bool
  ) async throws -> Anechoic_V1_SessionEvent {
    while let response = try await receive() {
      if case .event(let event) = response.item, fits(event) { return event }
    }
    throw Status(.internal, "the watch has ended before the event came")
  }

  /// Returns all remaining items.
  func rest() async throws -> [Anechoic_V1_WatchSessionResponse] {
    var responses: [Anechoic_V1_WatchSessionResponse] = []
    while let response = try await receive() { responses.append(response) }
    return responses
  }
}
