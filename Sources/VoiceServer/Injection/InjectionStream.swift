internal import GRPCTransport
internal import VoiceSessions

/// An injection on its way from the injector's call into the session, no faster than it is heard.
final class InjectionStream: Sendable {
  /// More than this does not wait in the session.
  private static let longestBacklog = Duration.seconds(2)
  private static let shortestBacklog = Duration.seconds(1)

  let id: String
  private let session: SessionHandle
  private let client: Principal
  /// Given how much was heard, or nil for an injection that was cancelled. It also tells this
  /// injection from a later one of the same id.
  private let ended = Reply<Duration?>()

  init(_ session: SessionHandle, id: String, _ client: Principal) {
    self.session = session
    self.id = id
    self.client = client
  }

  /// Throws the status of a session that does not take it.
  func begin() async throws {
    try session.spend(for: client)
    let (id, client, ended) = (id, client.origin, ended)
    let _: Void = try await session.ask { session, reply in
      try session.beginInjection(id, by: client, ended)
      // Without its client it would stay, in the way of all that follow.
      if !reply.counts(giving: .success(())) { session.cancelInjection(id, ended) }
    }
  }

  /// Sends a piece of speech, and waits until most of what waits has been heard.
  func send(_ piece: InjectedSpeech) async throws {
    let (id, ended) = (id, ended)
    var backlog: Duration? = try await session.ask { session, reply in
      reply.give(.success(session.inject(piece, into: id, ended)))
    }
    while let waiting = backlog, waiting > Self.longestBacklog {
      try await Task.sleep(for: waiting - Self.shortestBacklog)
      backlog = try await session.ask { session, reply in
        reply.give(.success(session.injectionBacklog(id, ended)))
      }
    }
    if backlog == nil { throw Status.injectionCancelled(id) }
  }

  /// Says that nothing follows.
  func complete() async throws {
    let (id, ended) = (id, ended)
    let _: Void = try await session.ask { session, reply in
      session.completeInjection(id, ended)
      reply.give(.success(()))
    }
  }

  /// Waits for its end; returns how much was heard, or nil where it was cancelled. Once.
  func end() async throws -> Duration? { try await ended.value() }

  func cancel() {
    let (id, ended) = (id, ended)
    session.tell { $0.cancelInjection(id, ended) }
  }
}
