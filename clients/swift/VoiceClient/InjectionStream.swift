public import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf

/// Speech that is sent into a session, either as audio or as text. A send waits while too much is
/// on its way, and throws the `Status` of an injection that has ended.
public final class InjectionStream: Sendable {
  private let call: ClientCall

  init(_ call: ClientCall, _ start: Anechoic_V1_InjectionStart) async throws {
    self.call = call
    try await send(.start(start))
  }

  /// Sends samples in the format of the start.
  public func send(_ audio: Anechoic_V1_AudioChunk) async throws {
    try await send(.audio(audio))
  }

  /// Sends text that the server's synthesizer speaks.
  public func send(text: String) async throws {
    try await send(.text(text))
  }

  /// Ends the speech. Returns when all of it has been heard.
  public func finish() async throws -> Anechoic_V1_InjectSpeechResponse {
    call.halfClose()
    guard let response = try await call.receive(Anechoic_V1_InjectSpeechResponse.self) else {
      throw Status(.internal, "the injection ended without a response")
    }
    _ = try await call.receive()
    return response
  }

  /// Ends the injection at once. Speech that was not heard is discarded.
  public func cancel() { call.cancel() }

  private func send(_ request: Anechoic_V1_InjectSpeechRequest.OneOf_Request) async throws {
    try await call.send(
      Anechoic_V1_InjectSpeechRequest.with { $0.request = request }.serializedBytes())
  }
}
