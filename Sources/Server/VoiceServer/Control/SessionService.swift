internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The control plane: the methods with which other clients than the media client see and control
/// sessions.
struct SessionService: Sendable {
  let directory: SessionDirectory
  let live: LiveConfiguration
  /// Returns the part of the server's capacity that is taken, 0...1.
  let capacityUsed: @Sendable () -> Double

  /// The maximum size in bytes of a message with injected speech: a second of audio in the largest
  /// format, and the fields around the audio.
  private static let largestSpeech = 512 << 10

  private var configuration: ServerConfiguration { live.current }

  var methods: [ServerMethod] { unaryMethods.map(\.overGRPC) + streamingMethods }

  var unaryMethods: [UnaryMethod] {
    [
      unary(RPC.listSessions) { (request: Anechoic_V1_ListSessionsRequest, client) in
        try list(request, client)
      },
      unary(RPC.getSession) { (request: Anechoic_V1_GetSessionRequest, client) in
        let session = try directory.session(named: request.name, for: client)
        let statistics = try await session.statistics()
        return Anechoic_V1_GetSessionResponse.with {
          $0.session = .whole(session, session.feed.session, for: client)
          $0.session.stats = statistics
        }
      },
      control(RPC.updateSession, \.session.name) {
        (request: Anechoic_V1_UpdateSessionRequest, client) in
        let session = try directory.session(
          named: request.session.name, field: "session.name", for: client)
        let update = try SessionUpdate(request)
        try checkProfile(of: update, session)
        let sample = try await session.update(update, by: client)
        return Anechoic_V1_UpdateSessionResponse.with {
          $0.session = Anechoic_V1_Session(session, for: client)
          if let sample { $0.appliedAtSample = sample }
        }
      },
      control(RPC.deleteSession, \.name) {
        (request: Anechoic_V1_DeleteSessionRequest, client) in
        try await directory.session(named: request.name, for: client).delete(by: client)
        return Anechoic_V1_DeleteSessionResponse()
      },
      control(RPC.setMute, \.name) {
        (request: Anechoic_V1_SetMuteRequest, client) in
        let session = try directory.session(named: request.name, for: client)
        return try await session.setMute(request, by: client)
      },
      control(RPC.reportMuteGesture, \.name) {
        (request: Anechoic_V1_ReportMuteGestureRequest, client) in
        let session = try directory.session(named: request.name, for: client)
        let result = try await session.report(MuteGesture(request, by: client.origin), by: client)
        return Anechoic_V1_ReportMuteGestureResponse.with {
          $0.outcome = Anechoic_V1_MuteGestureOutcome(result.outcome)
          $0.state = Anechoic_V1_MuteState(result.state)
          $0.chimeInPlayback = result.soundsChime
        }
      },
      control(RPC.requestInjectionPermission, \.name) {
        (request: Anechoic_V1_RequestInjectionPermissionRequest, client) in
        let session = try directory.session(named: request.name)
        let permission = try await session.requestInjectionPermission(
          request.checkedUsageDescription(), by: client)
        return Anechoic_V1_RequestInjectionPermissionResponse.with {
          $0.permission = Anechoic_V1_InjectionPermission(permission)
        }
      },
      unary(RPC.getInjectionStatus) {
        (request: Anechoic_V1_GetInjectionStatusRequest, client) in
        let id = try SessionID.named(request.name, field: "name")
        let statuses = injectionStatuses(for: client)
        return Anechoic_V1_GetInjectionStatusResponse.with {
          $0.status = statuses.of(directory[id], named: request.name)
        }
      },
    ]
  }

  private var streamingMethods: [ServerMethod] {
    [
      ServerMethod(Method(service: RPC.sessions, name: RPC.watchSession), lane: .background) {
        WatchCall($0, directory)
      },
      ServerMethod(Method(service: RPC.sessions, name: RPC.recordSession), lane: .background) {
        $0.writeDeadline = configuration.recorderDeadline
        return RecordCall($0, configuration, directory)
      },
      .serverStreaming(
        Method(service: RPC.sessions, name: RPC.watchInjection), lane: .background
      ) { request, context, responses in
        let request: Anechoic_V1_WatchInjectionRequest = try MessageEncoding.binary.decoded(request)
        var watch = try InjectionWatch(
          request.name, directory, injectionStatuses(for: Principal(context)))
        try await watch.follow { try await responses.send($0.serializedBytes()) }
      },
      .clientStreaming(
        Method(service: RPC.sessions, name: RPC.injectSpeech), lane: .background
      ) { requests, context in
        try await injection(by: Principal(context), ServerLog.Cause(context)).run(requests)
          .serializedBytes()
      }.with(largestMessage: Self.largestSpeech),
    ]
  }

  func injection(by client: Principal, _ cause: ServerLog.Cause) -> InjectSpeechCall {
    InjectSpeechCall(
      directory, client, idleLimit: configuration.limits.idleLimit, log: configuration.log,
      cause: cause)
  }

  private func injectionStatuses(for client: Principal) -> InjectionStatuses {
    InjectionStatuses(
      client: client, service: configuration.injection, permissions: configuration.permissions)
  }

  /// Throws if the client that started a session does not have the profile that an update names.
  private func checkProfile(of update: SessionUpdate, _ session: SessionHandle) throws(Status) {
    guard let profile = update.profile else { return }
    guard configuration.profiles.profile(profile, of: ProfileOwner(session.owner)) != nil else {
      throw .noProfile(profile, path: "session.config.spatial_audio.listener_profile")
    }
  }

  private func list(
    _ request: Anechoic_V1_ListSessionsRequest, _ client: Principal
  ) throws -> Anechoic_V1_ListSessionsResponse {
    let page = try SessionPage(request)
    let (sessions, next) = page.cut(from: directory.sessions.filter(client.owns))
    return .with {
      $0.sessions = sessions.map { Anechoic_V1_Session($0, for: client) }
      $0.nextPageToken = next
      $0.server = .with {
        $0.version = anechoicVersion
        $0.sessionsActive = UInt32(clamping: directory.count)
        $0.sessionsMax = UInt32(clamping: directory.maximum)
        $0.capacityUsed = capacityUsed()
      }
    }
  }

  /// Returns a method that changes a session. The audit log tells each call, refused or not.
  /// `session` is the field with the session's name.
  private func control<Request: Message, Response: Message>(
    _ name: String, _ session: any KeyPath<Request, String> & Sendable,
    _ body:
      @escaping @Sendable (_ request: Request, _ client: Principal) async throws -> Response
  ) -> UnaryMethod {
    UnaryMethod(name) { (request: Request, client, cause) in
      try await configuration.log.auditing(name, session: request[keyPath: session], by: cause) {
        try await body(request, client)
      }
    }
  }

  private func unary<Request: Message, Response: Message>(
    _ name: String,
    _ body:
      @escaping @Sendable (_ request: Request, _ client: Principal) async throws -> Response
  ) -> UnaryMethod {
    UnaryMethod(name) { request, client, _ in try await body(request, client) }
  }
}

extension SessionDirectory {
  /// Returns any client's session with a name of the form "sessions/{session_id}". Throws NOT_FOUND,
  /// or INVALID_ARGUMENT if the name has another form.
  func session(named name: String, field: String = "name") throws(Status) -> SessionHandle {
    let id = try SessionID.named(name, field: field)
    guard let session = self[id] else { throw .noSession(name) }
    return session
  }

  /// Returns a session that `client` may reach with methods for its own sessions. Throws NOT_FOUND
  /// for the sessions of other clients too.
  func session(
    named name: String, field: String = "name", for client: Principal
  ) throws(Status) -> SessionHandle {
    let session = try session(named: name, field: field)
    guard client.owns(session) else { throw .noSession(name) }
    return session
  }
}

extension MuteGesture {
  private static let longestID = 128

  fileprivate init(
    _ request: Anechoic_V1_ReportMuteGestureRequest, by client: ControlOrigin
  ) throws(Status) {
    guard !request.gestureID.isEmpty, request.gestureID.utf8.count <= Self.longestID,
      request.gestureID.isPlainText
    else {
      throw Status(
        InvalidFieldError(
          "gesture_id", "must have 1 to \(Self.longestID) bytes, without control characters"))
    }
    self.init(
      id: request.gestureID, mutes: request.hasMuted ? request.muted : nil, origin: client)
  }
}

extension Anechoic_V1_RequestInjectionPermissionRequest {
  private static let longestUsage = 1000

  fileprivate func checkedUsageDescription() throws(Status) -> String {
    guard !usageDescription.isEmpty, usageDescription.utf8.count <= Self.longestUsage,
      usageDescription.isPlainText
    else {
      throw Status(
        InvalidFieldError(
          "usage_description",
          "must have 1 to \(Self.longestUsage) bytes, without control characters"))
    }
    return usageDescription
  }
}
