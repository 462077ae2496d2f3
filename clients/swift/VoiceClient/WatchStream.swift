public import AnechoicAPI
internal import GRPCTransport

/// The events of a watched session. The watch ends when the last reference to this object is
/// released.
public final class WatchStream: Sendable {
  private let call: ClientCall

  init(_ call: ClientCall) { self.call = call }

  /// Returns the next item, or nil once the session has ended. Throws any `Status` other than OK.
  public func receive() async throws -> Anechoic_V1_WatchSessionResponse? {
    try await call.receive(Anechoic_V1_WatchSessionResponse.self)
  }

  /// Ends the watch. The session is not affected.
  public func cancel() { call.cancel() }
}
