internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

/// The `WatchInjection` call of a local client: the sessions of this machine, one after another, under
/// the one name that the client knows.
struct LocalInjectionWatch: Sendable {
  let board: StatusBoard
  /// The name that the client asked for.
  let name: String
  /// Watches the session of a status on the server.
  let watch: @Sendable (EdgeStatus) async throws -> ClientCall
  let send: @Sendable (Anechoic_V1_WatchInjectionResponse) async throws -> Void

  /// Runs until the client cancels.
  func run() async throws {
    var isToldAway = false
    for await status in board.watch() {
      if status.isConnected {
        do {
          try await board.whileConnected(by: status.connection) { try await follow(status) }
        } catch let refusal as Status where refusal.isLasting {
          throw refusal
        } catch {
          // The server ends the watch, or the connection is lost, or the session has ended.
        }
        isToldAway = false
      }
      guard !isToldAway, !board.status.isConnected else { continue }
      try await send(.with { $0.statuses = [.away(name)] })
      isToldAway = true
    }
  }

  private func follow(_ status: EdgeStatus) async throws {
    let session = status.session
    let call = try await watch(status)
    defer { call.cancel() }
    while let bytes = try await call.receive() {
      let statuses = try Anechoic_V1_WatchInjectionResponse(serializedBytes: bytes).statuses
      guard let status = statuses.first(where: { $0.session == session }) else { continue }
      guard status.running else { return }
      try await send(.with { $0.statuses = [status.with(session: name)] })
    }
  }
}

extension Status {
  /// Whether the same call would be refused again.
  fileprivate var isLasting: Bool { [.permissionDenied, .unauthenticated].contains(code) }
}

extension Anechoic_V1_InjectionStatus {
  /// The status of a session that does not run.
  static func away(_ name: String) -> Self {
    .with {
      $0.session = name
      $0.permission = .undetermined
    }
  }

  fileprivate func with(session: String) -> Self {
    var status = self
    status.session = session
    return status
  }
}
