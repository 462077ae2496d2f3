internal import AnechoicAPI

/// A session on the server, as the voice thread knows it.
struct ServerSession: Sendable {
  let start: Anechoic_V1_Start
  let started: Anechoic_V1_Started
  /// A number that differs for each session.
  let epoch: Int
  let outbox: Outbox
  /// Ends the call, because the server has not answered for too long.
  let abandon: @Sendable () -> Void
}
