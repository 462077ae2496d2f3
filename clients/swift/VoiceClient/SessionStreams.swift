public import AnechoicAPI
internal import Foundation
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
    let response = try await call.receive(Anechoic_V1_JoinSessionResponse.self) {
      try $0.playback.check()
    }
    return response?.playback
  }

  /// Leaves the session, which continues without this device.
  public func cancel() { call.cancel() }
}

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

/// The sessions into which a client may inject speech. The watch ends when the last reference to this
/// object is released.
public final class InjectionWatchStream: Sendable {
  private let call: ClientCall

  init(_ call: ClientCall) { self.call = call }

  /// Returns the statuses that have changed, at first all of them. Throws any `Status` other than OK.
  public func receive() async throws -> [Anechoic_V1_InjectionStatus]? {
    try await call.receive(Anechoic_V1_WatchInjectionResponse.self)?.statuses
  }

  /// Ends the watch.
  public func cancel() { call.cancel() }
}
