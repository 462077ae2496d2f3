internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

/// The changes that other connections make to a session. Each function throws the `Status` that
/// ends the caller's call.
extension SessionHandle {
  /// Returns the sample at which the configuration was changed, or nil if only labels were.
  func update(_ update: SessionUpdate, by client: Principal) async throws -> Int64? {
    guard let change = update.configuration else {
      if let labels = update.labels { set(labels) }
      return nil
    }
    return try await apply(change, as: update.control, by: client, labels: update.labels).sample
  }

  func setMute(
    _ request: Anechoic_V1_SetMuteRequest, by client: Principal
  ) async throws -> Anechoic_V1_SetMuteResponse {
    let control = Anechoic_V1_Control.with {
      $0.setMute.muted = request.muted
      if request.hasIfGeneration { $0.setMute.ifGeneration = request.ifGeneration }
      if request.hasAtSample { $0.atSample = request.atSample }
    }
    let applied = try await apply(
      .mute(
        request.muted, ifGeneration: request.hasIfGeneration ? request.ifGeneration : nil),
      as: control, by: client)
    return .with {
      $0.state = Anechoic_V1_MuteState(applied.state.mute)
      $0.appliedAtSample = applied.sample
    }
  }

  /// Ends the session. Returns when it has ended.
  func delete(by client: Principal) async throws {
    try spend(for: client)
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

  /// Applies a control at its sample, or with the next frame. Returns when it has been applied.
  private func apply(
    _ change: SessionControl.Change, as control: Anechoic_V1_Control, by client: Principal,
    labels: [String: String]? = nil
  ) async throws -> AppliedControl {
    try spend(for: client)
    return try await ask { session, reply in
      session.apply(change, as: control, by: client.origin, labels: labels, reply)
    }
  }
}

/// The state of a session after a control, and the microphone's sample at which it was applied.
struct AppliedControl: Sendable {
  let state: SessionState
  let sample: Int64
}
