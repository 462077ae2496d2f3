internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

/// The changes that other connections make to a session. Each function throws the `Status` that
/// ends the caller's call.
extension SessionHandle {
  func update(_ update: SessionUpdate, by client: Principal) async throws {
    if let change = update.configuration {
      try await apply(change, as: update.control, by: client)
    }
    if let labels = update.labels { self.labels.withLock { $0 = labels } }
  }

  func setMute(
    _ muted: Bool, ifGeneration generation: UInt64?, by client: Principal
  ) async throws -> MuteState {
    let control = Anechoic_V1_Control.with {
      $0.setMute.muted = muted
      if let generation { $0.setMute.ifGeneration = generation }
    }
    return try await apply(
      .mute(muted, ifGeneration: generation), as: control, by: client
    ).mute
  }

  /// Ends the session. Returns when it has ended.
  func delete(by client: Principal) async throws {
    let ended = Reply<Void>()
    let _: Void = try await ask { session, reply in
      // The reply comes first, because the end answers all calls that still wait with NOT_FOUND.
      reply.give(.success(()))
      session.end(.deleted, .deleted(by: client.name)) { ended.give(.success(())) }
    }
    try await ended.value()
  }

  /// Reports a gesture. Returns when the gesture has been decided.
  func report(_ gesture: MuteGesture, by client: Principal) async throws -> GestureResult {
    try spend(for: client)
    return try await ask { session, reply in try session.report(gesture, reply) }
  }

  /// Asks for permission to inject speech. Returns when the media client has decided.
  func requestInjectionPermission(
    _ usage: String, by client: Principal
  ) async throws -> InjectionPermission {
    try spend(for: client)
    return try await ask { session, reply in
      try session.requestInjectionPermission(usage, by: client.origin, reply)
    }
  }

  /// Applies a control before the next frame. Returns the new state of the session.
  @discardableResult
  private func apply(
    _ change: SessionControl.Change, as control: Anechoic_V1_Control, by client: Principal
  ) async throws -> SessionState {
    try spend(for: client)
    return try await ask { session, reply in
      reply.give(.success(try session.apply(change, as: control, by: client.origin)))
    }
  }
}
