internal import AnechoicAPI
internal import Authentication
internal import struct Foundation.Data
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf

/// A `RecordSession` call. It waits for a session to start, and sends the recording while the
/// session runs. It runs on the background lane, whose thread processes no audio.
final class RecordCall: ServerCallHandler {
  private static let defaultWait = Duration.seconds(60)
  private static let longestWait = Duration.seconds(3600)

  private enum State {
    case awaitingRequest
    case recording(id: String, RecordingQueue)
    case over
  }

  private let call: ServerCall
  private let configuration: ServerConfiguration
  private let directory: SessionDirectory
  private var state = State.awaitingRequest
  private var startCheck: Timer?

  init(_ call: ServerCall, _ configuration: ServerConfiguration, _ directory: SessionDirectory) {
    self.call = call
    self.configuration = configuration
    self.directory = directory
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    guard case .awaitingRequest = state else {
      return end(Status(InvalidFieldError("request", "must come only once")))
    }
    let request = try? Anechoic_V1_RecordSessionRequest(serializedBytes: Data(message))
    let refusal = refusal(of: request)
    configuration.log.controlled(
      RPC.recordSession, session: request?.name ?? "", by: ServerLog.Cause(call), refusal ?? .ok)
    if let refusal { return end(refusal) }
    call.read()
    write(.with { $0.waiting = .init() })
  }

  func halfClosed() {
    if case .awaitingRequest = state { end(Status(InvalidFieldError("name", "is required"))) }
  }

  func writeCompleted() { writeNext() }

  func cancelled() { stop() }

  func ended() { stop() }

  /// Begins to wait for the session. Returns the status if the request is refused.
  private func refusal(of request: Anechoic_V1_RecordSessionRequest?) -> Status? {
    guard let request else { return .notA("RecordSessionRequest") }
    do throws(Status) {
      try begin(request)
      return nil
    } catch {
      return error
    }
  }

  private func begin(_ request: Anechoic_V1_RecordSessionRequest) throws(Status) {
    let client = try Principal(call)
    guard configuration.allowsRecording else { throw .recordingNotAllowed }
    let id = try SessionID.named(request.name, field: "name")
    let wait = try Self.wait(request)
    let waker = CallWaker(self, of: call) { $0.writeNext() }
    let queue = RecordingQueue { waker.wake() }
    try directory.await(id, recorder: queue, of: client)
    state = .recording(id: id, queue)
    startCheck = call.schedule(after: wait) { [weak self] in
      guard let self, directory.forget(queue, of: id) else { return }
      end(.notStarted(id))
    }
  }

  private static func wait(
    _ request: Anechoic_V1_RecordSessionRequest
  ) throws(Status) -> Duration {
    guard request.wait != .init() else { return defaultWait }
    do {
      return try Duration(request.wait, upTo: longestWait, path: "wait")
    } catch {
      throw Status(error)
    }
  }

  /// Sends the next part of the recording, unless a write is in flight.
  private func writeNext() {
    guard !call.isWriting, case .recording(_, let queue) = state else { return }
    switch queue.next() {
    case .bytes(let bytes): write(.with { $0.recording = Data(bytes) })
    case .notYet: break
    case .end: end(.ok)
    case .lost(let loss): end(Status(loss))
    }
  }

  private func write(_ response: Anechoic_V1_RecordSessionResponse) {
    let bytes: [UInt8] = (try? response.serializedBytes()) ?? []
    bytes.withUnsafeBytes { try? call.write($0) }
  }

  private func end(_ status: Status) {
    stop()
    call.finish(status)
  }

  private func stop() {
    if case .recording(let id, let queue) = state {
      directory.forget(queue, of: id)
      queue.lose(.unwanted)
    }
    state = .over
    startCheck?.cancel()
  }
}
