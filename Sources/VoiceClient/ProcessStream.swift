public import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf

/// A running session: requests out and responses in, side by side.
public final class ProcessStream: Sendable {
  /// What the server made of the start.
  public let started: Anechoic_V1_Started
  private let call: ClientCall

  /// Microphone in to processed out, for the whole session.
  public var algorithmicDelay: Duration {
    let delay = started.algorithmicDelay
    return .seconds(delay.seconds) + .nanoseconds(delay.nanos)
  }

  init(_ call: ClientCall, _ start: Anechoic_V1_Start) async throws {
    self.call = call
    do {
      try await call.send(Anechoic_V1_ProcessRequest.with { $0.start = start }.serializedBytes())
    } catch is Status {
      // Refused already: `receive` says why.
    }
    guard let first = try await call.receive(Anechoic_V1_ProcessResponse.self),
      case .started(let started) = first.response
    else { throw Status(.internal, "the server did not answer with started") }
    self.started = started
  }

  /// Sends audio of one instant. Throws the `Status` of a session that has ended. Only one send at a
  /// time, of whatever.
  public func send(_ audio: Anechoic_V1_AudioInput) async throws {
    try await call.send(Anechoic_V1_ProcessRequest.with { $0.audio = audio }.serializedBytes())
  }

  public func send(_ control: Anechoic_V1_Control) async throws {
    try await call.send(Anechoic_V1_ProcessRequest.with { $0.control = control }.serializedBytes())
  }

  /// Says when playback was heard.
  public func send(_ report: Anechoic_V1_PlaybackReport) async throws {
    try await call.send(
      Anechoic_V1_ProcessRequest.with { $0.playbackReport = report }.serializedBytes())
  }

  /// Says what has become of the devices.
  public func send(_ report: Anechoic_V1_DeviceReport) async throws {
    try await call.send(
      Anechoic_V1_ProcessRequest.with { $0.deviceReport = report }.serializedBytes())
  }

  /// Says that no more comes; the server then sends what is left and ends the session.
  public func finish() { call.halfClose() }

  /// The next response; nil at the end of the session. Throws any other `Status` than OK.
  public func receive() async throws -> Anechoic_V1_ProcessResponse? {
    try await call.receive(Anechoic_V1_ProcessResponse.self)
  }

  public func cancel() { call.cancel() }
}
