public import AnechoicAPI
internal import GRPCTransport

/// What happens in a session that is watched. Nobody holds it any more: the watch ends.
public final class WatchStream: Sendable {
  private let call: ClientCall

  init(_ call: ClientCall) { self.call = call }

  /// The next of it; nil at the end of the session. Throws any other `Status` than OK.
  public func receive() async throws -> Anechoic_V1_WatchSessionResponse? {
    try await call.receive(Anechoic_V1_WatchSessionResponse.self)
  }

  public func cancel() { call.cancel() }
}
