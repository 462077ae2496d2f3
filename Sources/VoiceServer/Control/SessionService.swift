internal import AnechoicAPI
internal import GRPCTransport
internal import SessionConversions
internal import SwiftProtobuf
internal import VoiceSessions

/// The control plane: the methods with which other clients than the media client see and control
/// sessions.
struct SessionService: Sendable {
  let directory: SessionDirectory
  let configuration: ServerConfiguration

  /// The maximum size in bytes of a message with injected speech: a second of audio in the largest
  /// format, and the fields around the audio.
  private static let largestSpeech = 512 << 10

  var methods: [ServerMethod] {
    [
      unary(RPC.listSessions) { (request: Anechoic_V1_ListSessionsRequest, client) in
        try list(request, client)
      },
      unary(RPC.getSession) { (request: Anechoic_V1_GetSessionRequest, client) in
        let session = try directory.session(named: request.name)
        let statistics = try await session.statistics()
        return Anechoic_V1_GetSessionResponse.with {
          $0.session = Anechoic_V1_Session(session, for: client.origin)
          $0.session.stats = statistics
        }
      },
      unary(RPC.updateSession) { (request: Anechoic_V1_UpdateSessionRequest, client) in
        let session = try directory.session(named: request.session.name, field: "session.name")
        try await session.update(SessionUpdate(request), by: client)
        return Anechoic_V1_UpdateSessionResponse.with {
          $0.session = Anechoic_V1_Session(session, for: client.origin)
        }
      },
      unary(RPC.deleteSession) { (request: Anechoic_V1_DeleteSessionRequest, client) in
        try await directory.session(named: request.name).delete(by: client)
        return Anechoic_V1_DeleteSessionResponse()
      },
      unary(RPC.setMute) { (request: Anechoic_V1_SetMuteRequest, client) in
        let session = try directory.session(named: request.name)
        let state = try await session.setMute(
          request.muted, ifGeneration: request.hasIfGeneration ? request.ifGeneration : nil,
          by: client)
        return Anechoic_V1_SetMuteResponse.with { $0.state = Anechoic_V1_MuteState(state) }
      },
      unary(RPC.reportMuteGesture) { (request: Anechoic_V1_ReportMuteGestureRequest, client) in
        let session = try directory.session(named: request.name)
        let result = try await session.report(MuteGesture(request, by: client.origin), by: client)
        return Anechoic_V1_ReportMuteGestureResponse.with {
          $0.outcome = Anechoic_V1_MuteGestureOutcome(result.outcome)
          $0.state = Anechoic_V1_MuteState(result.state)
          $0.chimeInPlayback = result.soundsChime
        }
      },
      unary(RPC.requestInjectionPermission) {
        (request: Anechoic_V1_RequestInjectionPermissionRequest, client) in
        let session = try directory.session(named: request.name)
        let permission = try await session.requestInjectionPermission(
          request.checkedUsageDescription(), by: client)
        return Anechoic_V1_RequestInjectionPermissionResponse.with {
          $0.permission = Anechoic_V1_InjectionPermission(permission)
        }
      },
      ServerMethod(Method(service: RPC.sessions, name: RPC.watchSession), lane: .background) {
        WatchCall($0, directory)
      },
      ServerMethod(Method(service: RPC.sessions, name: RPC.recordSession), lane: .background) {
        $0.writeDeadline = configuration.recorderDeadline
        return RecordCall($0, configuration, directory)
      },
      .clientStreaming(
        Method(service: RPC.sessions, name: RPC.injectSpeech), lane: .background
      ) { requests, context in
        try await InjectSpeechCall(
          directory, Principal(context), idleLimit: configuration.limits.idleLimit
        ).run(requests).serializedBytes()
      }.with(largestMessage: Self.largestSpeech),
    ]
  }

  private func list(
    _ request: Anechoic_V1_ListSessionsRequest, _ client: Principal
  ) throws -> Anechoic_V1_ListSessionsResponse {
    let page = try SessionPage(request)
    let (sessions, next) = page.cut(from: directory.sessions)
    return .with {
      $0.sessions = sessions.map { Anechoic_V1_Session($0, for: client.origin) }
      $0.nextPageToken = next
    }
  }

  private func unary<Request: Message, Response: Message>(
    _ name: String,
    _ body:
      @escaping @Sendable (_ request: Request, _ client: Principal) async throws -> Response
  ) -> ServerMethod {
    .unary(Method(service: RPC.sessions, name: name), lane: .background) { bytes, context in
      let client = try Principal(context)
      guard let request = try? Request(serializedBytes: bytes, options: .request) else {
        throw Status.notA(Request.protoMessageName)
      }
      return try await body(request, client).serializedBytes()
    }
  }
}

extension SessionDirectory {
  /// Returns the session with a name of the form "sessions/{session_id}". Throws NOT_FOUND, or
  /// INVALID_ARGUMENT if the name has another form.
  func session(named name: String, field: String = "name") throws(Status) -> SessionHandle {
    let id = try SessionID.named(name, field: field)
    guard let session = self[id] else { throw .noSession(name) }
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
        InvalidField(
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
        InvalidField(
          "usage_description",
          "must have 1 to \(Self.longestUsage) bytes, without control characters"))
    }
    return usageDescription
  }
}
