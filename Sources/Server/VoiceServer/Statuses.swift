internal import AnechoicAPI
internal import Authentication
public import GRPCTransport
internal import SessionWire
internal import SpatialAudio
internal import SpeechSynthesis
internal import SwiftProtobuf
internal import VoiceSessions

/// All statuses with which the server's own code ends calls, but for those of the arbiter.
extension Status {
  private static let domain = "anechoic"

  init(_ field: InvalidFieldError) {
    self.init(
      field.isUnsupported ? .unimplemented : .invalidArgument, field.description,
      reason: field.isUnsupported ? "UNSUPPORTED" : "INVALID_FIELD",
      .with {
        $0.fieldViolations = [
          .with {
            $0.field = field.path
            $0.description_p = field.problem
          }
        ]
      } as Google_Rpc_BadRequest)
  }

  init(_ fault: RequestError) {
    switch fault {
    case .malformed(let type): self = .notA(type)
    case .invalid(let field): self.init(field)
    }
  }

  /// Creates the status for a recorder whose recording was lost.
  init(_ loss: RecordingQueue.Loss) {
    switch loss {
    case .backlog: self = .recordingBacklog
    case .draining: self = .draining
    case .unwanted: self.init(.cancelled)
    }
  }

  /// Creates the status for a call whose client is not known.
  init(_ failure: AuthenticationError) {
    switch failure {
    case .badClientName: self.init(InvalidFieldError(RPC.clientName, failure.description))
    case .missing:
      self.init(.unauthenticated, failure.description, reason: "CREDENTIALS_MISSING")
    case .invalid:
      self.init(.unauthenticated, failure.description, reason: "CREDENTIALS_INVALID")
    case .tooManyWait:
      self.init(
        .resourceExhausted, failure.description, reason: "TOO_MANY_CALLS",
        Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })
    case .keysUnavailable:
      self.init(
        .unavailable, failure.description, reason: "KEYS_UNAVAILABLE",
        Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 5) })
    }
  }

  /// Creates the status for a method or a field that the client may not use.
  static func scopeMissing(_ scope: Scope, for name: String) -> Status {
    Status(
      .permissionDenied, "\(name) needs the scope \"\(scope.rawValue)\"",
      reason: "SCOPE_MISSING")
  }

  static let credentialsExpired = Status(
    .unauthenticated, "the token of this call has expired", reason: "CREDENTIALS_EXPIRED")

  /// `window` is the time for which the session waits for its lost client, or nil where it is not lost.
  static func sessionExists(_ id: String, _ window: Duration?) -> Status {
    let reason =
      window.map { "waits for its lost client, for \($0) at most" }
      ?? "has not ended yet, or its client has not read the end"
    return Status(
      .alreadyExists, "start.session_id: session \"\(id)\" \(reason)", reason: "SESSION_EXISTS")
  }

  static func spatialDataMissing(_ fault: any Error) -> Status {
    Status(
      .internal, "the server cannot render spatial audio: \(fault)",
      reason: "SPATIAL_DATA_MISSING")
  }

  static func full(_ maximum: Int) -> Status {
    Status(
      .resourceExhausted, "all \(maximum) sessions of this server are taken",
      reason: "SERVER_FULL",
      Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })
  }

  static func clientFull(_ maximum: Int, isVerified: Bool) -> Status {
    let holder = isVerified ? "one client" : "the clients of one host"
    return Status(
      .resourceExhausted, "all \(maximum) sessions that \(holder) may have are taken",
      reason: "CLIENT_FULL",
      Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })
  }

  static let overloaded = Status(
    .resourceExhausted, "one more session would make the running ones late", reason: "OVERLOADED",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  static let resumeTokenUnknown = Status(
    .notFound,
    "start.resume_token: no session of this client waits here with this token; start a new session",
    reason: "RESUME_TOKEN_UNKNOWN")

  static let joinTokenUnknown = Status(
    .notFound, "token: no session of this client runs here with this token",
    reason: "JOIN_TOKEN_UNKNOWN")

  static let joinTakenOver = Status(
    .aborted, "another call with the token plays the session now", reason: "TAKEN_OVER")

  static func tooManyTokens(_ field: String) -> Status {
    Status(
      .resourceExhausted, "\(field): too many wrong tokens have come from this host",
      reason: "TOO_MANY_RESUMES",
      Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })
  }

  static let takenOver = Status(
    .aborted, "another call with the resume token has taken the session over", reason: "TAKEN_OVER")

  static func idle(_ limit: Duration) -> Status {
    Status(.aborted, "the session has received no audio for \(limit)", reason: "IDLE")
  }

  static func idleInjection(_ limit: Duration) -> Status {
    Status(.aborted, "the injection has received no message for \(limit)", reason: "IDLE")
  }

  static func longestSession(_ limit: Duration) -> Status {
    Status(
      .aborted, "the session has lasted \(limit), as long as a session may", reason: "MAX_DURATION")
  }

  static let tooManyReflections = Status(
    .resourceExhausted,
    "all \(ReflectionService.mostStreams) streams of reflection are taken", reason: "TOO_MANY_CALLS"
  )

  static let tooManyWatches = Status(
    .resourceExhausted, "all \(HealthService.mostWatchers) watches of health are taken",
    reason: "TOO_MANY_CALLS")

  static let draining = Status(
    .unavailable, "the server is about to stop", reason: "DRAINING",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  /// Creates the status for a profile that the client does not have. `path` is the field that names it.
  static func noProfile(_ id: String, path: String) -> Status {
    let problem = "this client has no profile \"\(id)\""
    return Status(
      .notFound, "\(path): \(problem)", reason: "NO_PROFILE",
      Google_Rpc_BadRequest.with {
        $0.fieldViolations = [
          .with {
            $0.field = path
            $0.description_p = problem
          }
        ]
      })
  }

  static func tooManyProfiles(_ maximum: Int) -> Status {
    Status(
      .resourceExhausted,
      "this client has \(maximum) profiles, as many as a client may; delete one",
      reason: "TOO_MANY_PROFILES")
  }

  static let profilesFull = Status(
    .resourceExhausted, "this server keeps no more profiles", reason: "PROFILES_FULL")

  static let profilesOff = Status(
    .failedPrecondition, "this server reads no profiles", reason: "PROFILES_OFF")

  static let tooManyUploads = Status(
    .resourceExhausted,
    "\(UploadSlots.mostPerAccount) uploads of this client or \(UploadSlots.mostUploads) of all run",
    reason: "TOO_MANY_CALLS",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  static func idleUpload(_ limit: Duration) -> Status {
    Status(.aborted, "the upload has received no message for \(limit)", reason: "IDLE")
  }

  static func longUpload(_ limit: Duration) -> Status {
    Status(.aborted, "the upload has lasted \(limit), as long as it may", reason: "MAX_DURATION")
  }

  static let profileNotStored = Status(
    .internal, "the server cannot write its folder of profiles", reason: "PROFILE_NOT_STORED")

  static func profileReaderFailed(_ failure: ReaderError) -> Status {
    Status(
      .internal, "the server cannot read profiles: \(failure.description)",
      reason: "PROFILE_READER_FAILED")
  }

  /// Creates the status for a control that was refused.
  init(_ refusal: Refusal) {
    self.init(
      StatusCode(rawValue: refusal.kind.code) ?? .unknown, refusal.message, reason: refusal.reason)
  }

  static func noSession(_ name: String) -> Status {
    // The trailers that carry the message are limited in size, and the name is not.
    let name = String(name.unicodeScalars.prefix(100))
    return Status(
      .notFound, "name: no session \"\(name)\" is running here", reason: "NO_SESSION")
  }

  static let recordingNotAllowed = Status(
    .permissionDenied, "this server does not allow recording; start it with --allow-recording",
    reason: "RECORDING_NOT_ALLOWED")

  static func sessionHasBegun(_ id: String) -> Status {
    Status(
      .failedPrecondition,
      "name: session \"\(id)\" has already started; a recorder must come before its session",
      reason: "SESSION_HAS_BEGUN")
  }

  static func isRecorded(_ id: String) -> Status {
    Status(
      .alreadyExists, "name: another recorder already waits for session \"\(id)\"",
      reason: "RECORDER_EXISTS")
  }

  static let tooManyRecorders = Status(
    .resourceExhausted,
    "\(SessionDirectory.mostRecorders) recorders already wait for sessions, the most of this server",
    reason: "TOO_MANY_RECORDERS")

  static let slowRecorder = Status(
    .resourceExhausted, "RECORDER_TOO_SLOW: the recorder has not read what it was sent",
    reason: "RECORDER_TOO_SLOW")

  static let recordingBacklog = Status(
    .resourceExhausted,
    "RECORDER_TOO_SLOW: more than \(RecordingQueue.capacity >> 20) MiB of the recording waited",
    reason: "RECORDER_TOO_SLOW")

  static func notStarted(_ id: String) -> Status {
    Status(.notFound, "name: no session \"\(id)\" started in time", reason: "NO_SESSION")
  }

  static func notA(_ message: String) -> Status {
    Status(.invalidArgument, "the message is not a valid \(message)", reason: "MALFORMED_REQUEST")
  }

  static func textTooLarge(_ count: Int, _ most: Int) -> Status {
    Status(
      .resourceExhausted, "a text message has \(count) bytes; at most \(most) are allowed",
      reason: "TEXT_TOO_LARGE")
  }

  static let tooManyControls = Status(
    .resourceExhausted, "too many changes of this session at once", reason: "TOO_MANY_CONTROLS",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  static let tooManyJoins = Status(
    .resourceExhausted, "too many devices have joined this session at once",
    reason: "TOO_MANY_JOINS",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  static let tooManyWait = Status(
    .resourceExhausted, "too many calls already wait for this decision",
    reason: "TOO_MANY_CALLS",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  /// Returns the status for the media client of a session that another client deleted.
  static func deleted(by actor: String) -> Status {
    Status(.cancelled, "the session was deleted by \"\(actor)\"", reason: "SESSION_DELETED")
  }

  static let shutDown = Status(
    .unavailable, "the server has stopped", reason: "SERVER_SHUTDOWN",
    Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })

  /// Returns the status for a call over HTTP that the live page did not make, or whose page is off.
  public static func pageRefused(_ problem: String) -> Status {
    Status(.permissionDenied, problem, reason: "PAGE_REFUSED")
  }

  /// Returns the status for one more call over HTTP that watches a session.
  public static func tooManyPages(_ maximum: Int) -> Status {
    Status(
      .resourceExhausted, "\(maximum) pages already watch a session, the most of this server",
      reason: "TOO_MANY_CALLS",
      Google_Rpc_RetryInfo.with { $0.retryDelay = Google_Protobuf_Duration(seconds: 1) })
  }

  static let slowWatcher = Status(
    .resourceExhausted, "SLOW_CONSUMER: the watcher has not read its events",
    reason: "SLOW_CONSUMER")

  static let tooMuchSpeech = Status(
    .resourceExhausted,
    "the texts of all clients that wait to be heard are too long; try again later",
    reason: "TOO_MUCH_SPEECH")

  /// Creates the status for text that cannot be spoken.
  init(_ error: SpeechError) {
    switch error {
    case .unknownVoice: self.init(InvalidFieldError("start.voice", error.description))
    case .nothingToSay, .textTooLong, .speechTooLong, .unspeakable:
      self.init(InvalidFieldError("text", error.description))
    case .unavailable:
      self.init(.failedPrecondition, error.description, reason: "SPEECH_UNAVAILABLE")
    }
  }

  static func injectionCancelled(_ id: String) -> Status {
    Status(.aborted, "injection \"\(id)\" was cancelled", reason: "INJECTION_CANCELLED")
  }

  static func engineFailed(_ error: any Error) -> Status {
    Status(.internal, "the engine could not be created: \(error)", reason: "ENGINE_FAILED")
  }

  static func startTimeout(_ limit: Duration) -> Status {
    Status(
      .deadlineExceeded, "START_TIMEOUT: no complete message came within \(limit)",
      reason: "START_TIMEOUT")
  }

  static func slowConsumer(_ limit: OutgoingMessages.Limit) -> Status {
    Status(
      .resourceExhausted,
      "SLOW_CONSUMER: the client has not read its responses, and more than \(limit.messages) of them "
        + "or \(limit.bytes) bytes wait",
      reason: "SLOW_CONSUMER")
  }

  static func slowConsumer(_ limit: Duration) -> Status {
    Status(
      .resourceExhausted, "SLOW_CONSUMER: the client has not read its audio for \(limit)",
      reason: "SLOW_CONSUMER")
  }

  /// The reason in the details, such as `SERVER_FULL`. Empty if there is none.
  var reason: String { detail(Google_Rpc_ErrorInfo.self)?.reason ?? "" }

  /// The time in RetryInfo, such as `1.5s`, or "" without RetryInfo.
  var retryDelay: String {
    guard let delay = detail(Google_Rpc_RetryInfo.self)?.retryDelay else { return "" }
    return "\(Double(delay.seconds) + Double(delay.nanos) / 1e9)s"
  }

  private func detail<Detail: Message>(_ type: Detail.Type) -> Detail? {
    guard let status = try? Google_Rpc_Status(serializedBytes: details) else { return nil }
    return status.details.lazy.compactMap { try? Detail(unpackingAny: $0) }.first
  }

  /// Creates a status with details of google.rpc: an ErrorInfo with the reason, and another detail
  /// if there is one.
  init(
    _ code: StatusCode, _ message: String, reason: String, _ detail: (any Message)? = nil
  ) {
    let info = Google_Rpc_ErrorInfo.with {
      $0.reason = reason
      $0.domain = Self.domain
    }
    let status = Google_Rpc_Status.with {
      $0.code = code.rawValue
      $0.message = message
      $0.details = ([info, detail] as [(any Message)?]).compactMap { detail in
        detail.flatMap { try? Google_Protobuf_Any(message: $0) }
      }
    }
    self.init(code, message, details: (try? status.serializedBytes()) ?? [])
  }
}
