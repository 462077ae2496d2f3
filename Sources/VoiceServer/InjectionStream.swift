internal import GRPCTransport
internal import VoiceSessions

/// An injection on its way from the injector's call into the session, no faster than it is heard.
final class InjectionStream: Sendable {
  /// More than this does not wait in the session.
  private static let longestBacklog = Duration.seconds(2)
  private static let shortestBacklog = Duration.seconds(1)

  private let session: SessionHandle
  private let id: String
  private let client: ControlOrigin

  init(_ session: SessionHandle, id: String, _ client: ControlOrigin) {
    self.session = session
    self.id = id
    self.client = client
  }

  /// Throws the status of a session that does not take it.
  func begin() async throws {
    try session.spend()
    let (id, client) = (id, client)
    let _: Void = try await session.ask { session, reply in
      try session.beginInjection(id, by: client)
      // Without its client it would stay, in the way of all that follow.
      if !reply.counts(giving: .success(())) { session.cancelInjection(id) }
    }
  }

  /// Sends pieces of speech, and waits until most of them have been heard.
  func send(_ pieces: [InjectedSpeech]) async throws {
    let id = id
    for piece in pieces {
      var backlog: Duration? = try await session.ask { session, reply in
        reply.give(.success(session.session.inject(piece, into: id)))
      }
      while let waiting = backlog, waiting > Self.longestBacklog {
        try await Task.sleep(for: waiting - Self.shortestBacklog)
        backlog = try await session.ask { session, reply in
          reply.give(.success(session.session.injectionBacklog(id)))
        }
      }
      if backlog == nil { throw Status.injectionCancelled(id) }
    }
  }

  /// Waits until all of it has been heard.
  func finish() async throws -> Duration {
    let id = id
    let heard: Duration? = try await session.ask { session, reply in
      session.completeInjection(id, reply)
    }
    guard let heard else { throw Status.injectionCancelled(id) }
    return heard
  }

  func cancel() {
    let id = id
    session.tell { $0.cancelInjection(id) }
  }
}
