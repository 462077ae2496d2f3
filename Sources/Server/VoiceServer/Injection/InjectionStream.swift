internal import Authentication
internal import GRPCTransport
internal import VoiceSessions

/// An injection on its way from the injector's call into the session. It is sent no faster than it
/// is heard.
final class InjectionStream: Sendable {
  /// The duration of waiting speech above which sending stops.
  private static let longestBacklog = Duration.seconds(2)
  /// The duration of waiting speech at which sending continues.
  private static let shortestBacklog = Duration.seconds(1)

  let id: String
  private let session: SessionHandle
  private let client: Principal
  private let audience: InjectionAudience
  /// The duration that was heard in the end, or nil if the injection was cancelled. The identity of
  /// this object distinguishes the injection from a later one with the same id.
  private let ended = Reply<Duration?>()

  init(
    _ session: SessionHandle, id: String, _ client: Principal, heard audience: InjectionAudience
  ) {
    self.session = session
    self.id = id
    self.client = client
    self.audience = audience
  }

  /// Starts the injection. Throws a `Status` if the session refuses it.
  func begin() async throws {
    try session.spend(for: client)
    let (id, client, audience, ended) = (id, client.origin, audience, ended)
    let _: Void = try await session.ask { session, reply in
      try session.beginInjection(id, by: client, heard: audience, ended)
      // If the injector has gone, the injection would otherwise block all later ones.
      if !reply.counts(giving: .success(())) { session.cancelInjection(id, ended) }
    }
  }

  /// Sends a piece of speech. Returns when at most two seconds wait to be heard.
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

  /// Marks the injection as complete: no speech follows.
  func complete() async throws {
    let (id, ended) = (id, ended)
    let _: Void = try await session.ask { session, reply in
      session.completeInjection(id, ended)
      reply.give(.success(()))
    }
  }

  /// Waits for the end of the injection. Returns the duration that was heard, or nil if the
  /// injection was cancelled. Call this once.
  func end() async throws -> Duration? { try await ended.value() }

  func cancel() {
    let (id, ended) = (id, ended)
    session.tell { $0.cancelInjection(id, ended) }
  }
}
