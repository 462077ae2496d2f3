public import AnechoicAPI
internal import GRPCTransport

/// The playback of a session that runs on another device.
public final class PlaybackStream: Sendable {
  /// The session and the format of its playback.
  public let joined: Anechoic_V1_Joined
  private let call: ClientCall

  init(_ call: ClientCall) async throws {
    self.call = call
    guard let first = try await call.receive(Anechoic_V1_JoinSessionResponse.self),
      case .joined(let joined) = first.response
    else { throw Status(.internal, "the server did not answer with joined") }
    self.joined = joined
  }

  /// Returns the next samples, or nil once the session has ended. Throws any `Status` other than OK.
  public func receive() async throws -> Anechoic_V1_AudioChunk? {
    let chunk = try await call.receive(Anechoic_V1_JoinSessionResponse.self)?.playback
    try chunk?.check()
    return chunk
  }

  /// Leaves the session, which continues without this device.
  public func cancel() { call.cancel() }
}
