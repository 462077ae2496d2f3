internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

/// What other connections do to a session. Each throws the status that they are answered with.
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

  /// Returns when the session has ended.
  func delete(by client: Principal) async throws {
    let ended = Reply<Void>()
    let _: Void = try await ask { session, reply in
      // Before the end, which tells all who still wait that there is no such session.
      reply.give(.success(()))
      session.end(.deleted, .deleted(by: client.name)) { ended.give(.success(())) }
    }
    try await ended.value()
  }

  /// Returns when the gesture has been decided.
  func report(_ gesture: MuteGesture, by client: Principal) async throws -> GestureResult {
    try spend(for: client)
    return try await ask { session, reply in try session.report(gesture, reply) }
  }

  /// Returns when the media client has decided.
  func requestInjectionPermission(
    _ usage: String, by client: Principal
  ) async throws -> InjectionPermission {
    try spend(for: client)
    return try await ask { session, reply in
      try session.requestInjectionPermission(usage, by: client.origin, reply)
    }
  }

  /// Applies a control at the frame that comes next, and returns the state that it leads to.
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
