public import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf

/// A running session. Requests are sent and responses are received independently of each other.
public final class ProcessStream: Sendable {
  /// The server's answer to the start.
  public let started: Anechoic_V1_Started
  private let call: ClientCall

  /// The delay from the microphone to the processed output. It is constant for the session.
  public var algorithmicDelay: Duration { started.processingDelay }

  init(_ call: ClientCall, _ start: Anechoic_V1_Start) async throws {
    self.call = call
    do {
      try await call.send(Anechoic_V1_ProcessRequest.with { $0.start = start }.serializedBytes())
    } catch is Status {
      // The server has refused the session. `receive` throws its status.
    }
    let first = try await call.receive(Anechoic_V1_ProcessResponse.self) { try $0.check() }
    guard case .started(let started) = first?.response else {
      throw Status(.internal, "the server did not answer with started")
    }
    try started.check(answering: start)
    self.started = started
  }

  /// Ends the call and throws INTERNAL if the session goes on with a sample of the microphone that cannot have
  /// arrived.
  package func checkResumption(sent: Int64, asked: Int64) throws {
    do { try started.checkResumption(sent: sent, asked: asked) } catch {
      cancel()
      throw error
    }
  }

  /// Sends audio of one instant. Throws the `Status` of a session that has ended. Do not call two
  /// send functions at the same time.
  public func send(_ audio: Anechoic_V1_AudioInput) async throws {
    try await call.send(Anechoic_V1_ProcessRequest.with { $0.audio = audio }.serializedBytes())
  }

  /// Sends a control. A response with its `controlID` says whether it took effect, and at which sample.
  public func send(_ control: Anechoic_V1_Control) async throws {
    try await call.send(Anechoic_V1_ProcessRequest.with { $0.control = control }.serializedBytes())
  }

  /// Reports when playback was heard.
  public func send(_ report: Anechoic_V1_PlaybackReport) async throws {
    try await call.send(
      Anechoic_V1_ProcessRequest.with { $0.playbackReport = report }.serializedBytes())
  }

  /// Reports a change of the devices.
  public func send(_ report: Anechoic_V1_DeviceReport) async throws {
    try await call.send(
      Anechoic_V1_ProcessRequest.with { $0.deviceReport = report }.serializedBytes())
  }

  /// Sends a pose of the listener's head.
  public func send(_ pose: Anechoic_V1_HeadPose) async throws {
    try await call.send(Anechoic_V1_ProcessRequest.with { $0.headPose = pose }.serializedBytes())
  }

  /// Sends any request.
  func send(_ request: Anechoic_V1_ProcessRequest) async throws {
    try await call.send(request.serializedBytes())
  }

  /// Ends the input. The server then sends the remaining output and ends the session.
  public func finish() { call.halfClose() }

  /// Returns the next response, or nil once the session has ended. Throws any `Status` other than
  /// OK, and INTERNAL for an answer that is no message or impossible; the call is then lost.
  public func receive() async throws -> Anechoic_V1_ProcessResponse? {
    try await call.receive(Anechoic_V1_ProcessResponse.self) { try $0.check() }
  }

  /// Ends the call at once. Output that was not received is lost. The session waits for its resumption.
  public func cancel() { call.cancel() }
}

extension Anechoic_V1_Started {
  /// The delay from the microphone to the processed output.
  package var processingDelay: Duration { Duration(algorithmicDelay) }

  /// The delay from the microphone to the output for a recognizer.
  package var recognitionDelay: Duration { Duration(recognizerDelay) }

  /// The id of the session: its name without the collection.
  package var sessionID: String { String(session.dropFirst("sessions/".count)) }
}
