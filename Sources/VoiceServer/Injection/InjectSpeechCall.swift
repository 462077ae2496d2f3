internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceSessions

/// An `InjectSpeech` call. It takes audio or text, and answers when all of the speech has been
/// heard.
struct InjectSpeechCall: Sendable {
  /// The result of one of the two tasks of a call: sending the speech, and waiting for its end.
  private enum Step {
    case sent
    case ended(Duration?)
  }

  private let directory: SessionDirectory
  private let client: Principal
  private let idleLimit: Duration

  /// Zero switches the idle limit off.
  init(_ directory: SessionDirectory, _ client: Principal, idleLimit: Duration) {
    self.directory = directory
    self.client = client
    self.idleLimit = idleLimit
  }

  func run(_ requests: RequestStream) async throws -> Anechoic_V1_InjectSpeechResponse {
    guard case .start(let start) = try await next(requests) else {
      throw Status(InvalidField("start", "is required; the first request must contain it"))
    }
    let session = try directory.session(named: start.name, field: "start.name")
    let source = try InjectionSource(start, session.setup)
    try await source.check()
    let stream = InjectionStream(session, id: try Self.id(start), client)
    try await stream.begin()
    do {
      let heard = try await heard(of: stream, source, requests)
      return .with {
        $0.injectionID = stream.id
        $0.injected = Google_Protobuf_Duration(heard)
      }
    } catch {
      stream.cancel()
      throw error
    }
  }

  /// Passes the speech to the session. Returns the duration that was heard when all of it has been
  /// heard. Throws as soon as the injection ends for another reason.
  private func heard(
    of stream: InjectionStream, _ source: InjectionSource, _ requests: RequestStream
  ) async throws -> Duration {
    try await withThrowingTaskGroup(of: Step.self) { group in
      group.addTask { .ended(try await stream.end()) }
      group.addTask {
        try await send(requests, source, to: stream)
        return .sent
      }
      while let step = try await group.next() {
        guard case .ended(let heard) = step else { continue }
        group.cancelAll()
        if let heard { return heard }
        break
      }
      throw Status.injectionCancelled(stream.id)
    }
  }

  private func send(
    _ requests: RequestStream, _ source: InjectionSource, to stream: InjectionStream
  ) async throws {
    while let request = try await next(requests) {
      try await source.take(request)
      try await sendPieces(of: source, isComplete: false, to: stream)
    }
    try await sendPieces(of: source, isComplete: true, to: stream)
    if let rest = await source.rest() { try await stream.send(rest) }
    try await stream.complete()
  }

  private func sendPieces(
    of source: InjectionSource, isComplete: Bool, to stream: InjectionStream
  ) async throws {
    while let piece = try await source.nextPiece(isComplete: isComplete) {
      try await stream.send(piece)
    }
  }

  private func next(
    _ requests: RequestStream
  ) async throws -> Anechoic_V1_InjectSpeechRequest.OneOf_Request? {
    guard let bytes = try await message(from: requests) else { return nil }
    guard let message = try? Anechoic_V1_InjectSpeechRequest(serializedBytes: bytes) else {
      throw Status.notA("InjectSpeechRequest")
    }
    guard let request = message.request else {
      throw Status(InvalidField("request", "is empty; it must contain start, audio or text"))
    }
    return request
  }

  /// Returns the next message. Throws if it does not come within the idle limit, because an
  /// injection that says nothing holds one of the session's places.
  private func message(from requests: RequestStream) async throws -> [UInt8]? {
    guard idleLimit > .zero else { return try await requests.next() }
    return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { try await requests.next() }
      group.addTask {
        try await Task.sleep(for: idleLimit)
        throw Status.idleInjection(idleLimit)
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  private static func id(_ start: Anechoic_V1_InjectionStart) throws(Status) -> String {
    do {
      return try SessionID.resolve(start.injectionID, path: "start.injection_id")
    } catch {
      throw Status(error)
    }
  }
}
