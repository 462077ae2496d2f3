internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

/// An `InjectSpeech` call. It takes audio or text, and answers when all of the speech has been
/// heard.
struct InjectSpeechCall: Sendable {
  /// The result of one of the tasks of a call: sending the speech, watching for a client that says
  /// nothing, and waiting for the end of the speech.
  private enum Step {
    case sent
    case idle
    case ended(Duration?)
  }

  private let directory: SessionDirectory
  private let client: Principal
  private let idleLimit: Duration
  private let log: ServerLog
  private let cause: ServerLog.Cause
  private let wait = MessageWait()

  /// Zero switches the idle limit off.
  init(
    _ directory: SessionDirectory, _ client: Principal, idleLimit: Duration, log: ServerLog,
    cause: ServerLog.Cause
  ) {
    self.log = log
    self.cause = cause
    self.directory = directory
    self.client = client
    self.idleLimit = idleLimit
  }

  /// Returns the next message of the client, or nil after its last message.
  typealias Requests = @Sendable () async throws -> Anechoic_V1_InjectSpeechRequest?

  func run(_ requests: RequestStream) async throws -> Anechoic_V1_InjectSpeechResponse {
    try await run {
      guard let bytes = try await requests.next() else { return nil }
      guard let message = try? Anechoic_V1_InjectSpeechRequest(serializedBytes: bytes) else {
        throw Status.notA("InjectSpeechRequest")
      }
      return message
    }
  }

  func run(_ requests: @escaping Requests) async throws -> Anechoic_V1_InjectSpeechResponse {
    guard case .start(let start) = try await next(requests) else {
      throw Status(InvalidFieldError("start", "is required; the first request must contain it"))
    }
    return try await log.auditing(RPC.injectSpeech, session: start.name, by: cause) {
      try await run(start, requests)
    }
  }

  private func run(
    _ start: Anechoic_V1_InjectionStart, _ requests: @escaping Requests
  ) async throws -> Anechoic_V1_InjectSpeechResponse {
    let session = try directory.session(named: start.name, field: "start.name")
    let source = try InjectionSource(start, session.setup)
    try await source.check()
    let stream = InjectionStream(
      session, id: try Self.id(start), client, heard: try Self.audience(start))
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
    of stream: InjectionStream, _ source: InjectionSource, _ requests: @escaping Requests
  ) async throws -> Duration {
    try await withThrowingTaskGroup(of: Step.self) { group in
      group.addTask { .ended(try await stream.end()) }
      if idleLimit > .zero {
        group.addTask {
          try await wait.lasts(idleLimit)
          return .idle
        }
      }
      group.addTask {
        try await send(requests, source, to: stream)
        return .sent
      }
      while let step = try await group.next() {
        switch step {
        case .sent: continue
        case .idle: throw Status.idleInjection(idleLimit)
        case .ended(let heard):
          group.cancelAll()
          if let heard { return heard }
          throw Status.injectionCancelled(stream.id)
        }
      }
      throw Status.injectionCancelled(stream.id)
    }
  }

  private func send(
    _ requests: Requests, _ source: InjectionSource, to stream: InjectionStream
  ) async throws {
    var isSilent = true
    while let request = try await next(requests) {
      try await source.accept(request)
      isSilent = false
      try await sendPieces(of: source, isComplete: false, to: stream)
    }
    guard !isSilent else {
      throw Status(
        InvalidFieldError(
          "request", "audio or text is required; the client ended the stream after start"))
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
    _ requests: Requests
  ) async throws -> Anechoic_V1_InjectSpeechRequest.OneOf_Request? {
    guard let message = try await wait.next(requests) else { return nil }
    guard let request = message.request else {
      throw Status(InvalidFieldError("request", "is empty; it must contain start, audio or text"))
    }
    return request
  }

  private static func audience(
    _ start: Anechoic_V1_InjectionStart
  ) throws(Status) -> InjectionAudience {
    switch start.preferredInjectionMode {
    case .unspecified, .spokenAudio: return .everywhere
    case .none: return .playbackAlone
    case .UNRECOGNIZED(let value):
      throw Status(
        InvalidFieldError(
          "start.preferred_injection_mode", "\(value) is not a known injection mode"))
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

/// The time for which a call waits for its client's next message.
final class MessageWait: Sendable {
  /// Nil while the call works on a message, and after the last one.
  private let start = Mutex<ContinuousClock.Instant?>(nil)

  /// Returns the next message. One task at a time may wait for it.
  func next<Message>(_ read: () async throws -> Message?) async throws -> Message? {
    start.withLock { $0 = .now }
    defer { start.withLock { $0 = nil } }
    return try await read()
  }

  /// Returns when a message has been waited for as long as `limit`. Throws when the task is cancelled.
  func lasts(_ limit: Duration) async throws {
    while true {
      let now = ContinuousClock.now
      let left = now.duration(to: (start.withLock { $0 } ?? now) + limit)
      guard left > .zero else { return }
      try await Task.sleep(inStepsFor: left)
    }
  }
}
