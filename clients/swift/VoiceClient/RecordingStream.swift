internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport

/// The recording of a running session.
public final class RecordingStream: Sendable {
  private let call: ClientCall

  /// Returns when the server waits for the session.
  init(_ call: ClientCall) async throws {
    self.call = call
    guard let first = try await call.receive(Anechoic_V1_RecordSessionResponse.self),
      case .waiting = first.item
    else { throw Status(.internal, "the server did not say that it waits") }
  }

  /// Returns the next bytes of the file, or nil once it is complete. Throws any `Status` other than
  /// OK.
  public func receive() async throws -> [UInt8]? {
    try await call.receive(Anechoic_V1_RecordSessionResponse.self).map { [UInt8]($0.recording) }
  }

  /// Ends the recording. The session is not affected.
  public func cancel() { call.cancel() }
}
