public import AnechoicAPI
public import GRPCTransport
internal import SwiftProtobuf

/// The control plane of a server: its sessions, by their names `sessions/ID`. Every function throws
/// the `Status` of a failed call.
public final class SessionsClient: Sendable {
  /// The deadline of calls that wait only for the server.
  private static let timeout = Duration.seconds(10)

  private let connection: Connection

  /// Creates a client. It connects with the first call.
  ///
  /// - Parameters:
  ///   - server: `HOST:PORT` or `unix:PATH`.
  ///   - clientName: The name that changes and permissions are attributed to. Printable ASCII. A
  ///     server that verifies clients ignores the name.
  ///   - security: Plaintext or TLS.
  ///   - credentials: The source of the token that each call presents. Nil sends no token.
  public init(
    server: String, clientName: String, security: ChannelSecurity = .plaintext,
    credentials: (any CredentialsProvider)? = nil
  ) {
    connection = Connection(
      server: server, clientName: clientName, security: security, credentials: credentials)
  }

  /// Returns all sessions, from all pages.
  public func list() async throws -> [Anechoic_V1_Session] {
    var sessions: [Anechoic_V1_Session] = []
    var request = Anechoic_V1_ListSessionsRequest()
    repeat {
      let page: Anechoic_V1_ListSessionsResponse = try await unary(RPC.listSessions, request)
      sessions += page.sessions
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return sessions
  }

  /// Returns a session with its statistics. Throws NOT_FOUND if it does not run on this server.
  public func get(_ name: String) async throws -> Anechoic_V1_Session {
    let response: Anechoic_V1_GetSessionResponse = try await unary(
      RPC.getSession, Anechoic_V1_GetSessionRequest.with { $0.name = name }, of: name)
    return response.session
  }

  /// Changes the fields of a session that `mask` names, with paths such as
  /// `config.preferred_mic_mode`. A named field that `session` does not set is cleared. With `atSample`,
  /// the change of the configuration takes effect at this sample of the microphone, and the function
  /// returns then. The response has the changed session and the sample of the change.
  public func update(
    _ session: Anechoic_V1_Session, mask: [String], atSample: Int64? = nil
  ) async throws -> Anechoic_V1_UpdateSessionResponse {
    try await unary(
      RPC.updateSession,
      Anechoic_V1_UpdateSessionRequest.with {
        $0.session = session
        $0.updateMask.paths = mask
        if let atSample { $0.atSample = atSample }
      }, of: session.name, timeout: atSample == nil ? Self.timeout : nil)
  }

  /// Ends a session. The audio that its media client sent last may be lost.
  public func delete(_ name: String) async throws {
    let _: Anechoic_V1_DeleteSessionResponse = try await unary(
      RPC.deleteSession, Anechoic_V1_DeleteSessionRequest.with { $0.name = name }, of: name)
  }

  /// Changes the mute state of a session. With `ifGeneration`, fails with ABORTED if another client
  /// has changed the state since that generation. With `atSample`, the change takes effect at this sample
  /// of the microphone, and the function returns then. The response has the new state and the sample
  /// from which it holds.
  public func setMute(
    _ name: String, muted: Bool, ifGeneration: UInt64? = nil, atSample: Int64? = nil
  ) async throws -> Anechoic_V1_SetMuteResponse {
    var request = Anechoic_V1_SetMuteRequest()
    request.name = name
    request.muted = muted
    if let ifGeneration { request.ifGeneration = ifGeneration }
    if let atSample { request.atSample = atSample }
    return try await unary(
      RPC.setMute, request, of: name, timeout: atSample == nil ? Self.timeout : nil)
  }

  /// Reports a press of a mute button, and returns when it is decided. `muted` is the position of a
  /// switch; nil, for a push button, toggles. A report with the same `id` is the same press.
  public func reportMuteGesture(
    _ name: String, id: String, muted: Bool? = nil
  ) async throws -> Anechoic_V1_ReportMuteGestureResponse {
    var request = Anechoic_V1_ReportMuteGestureRequest()
    request.name = name
    request.gestureID = id
    if let muted { request.muted = muted }
    return try await unary(RPC.reportMuteGesture, request, of: name, timeout: nil)
  }

  /// Watches a session. The stream starts with a snapshot, followed by the new events, or by all
  /// events from an id on.
  public func watch(
    _ name: String, fromEvent: UInt64? = nil, statsInterval: Duration? = nil
  ) async throws -> WatchStream {
    var request = Anechoic_V1_WatchSessionRequest()
    request.name = name
    if let fromEvent { request.fromEventID = fromEvent }
    if let statsInterval {
      request.statsInterval = Google_Protobuf_Duration(rounding: statsInterval)
    }
    return WatchStream(
      try await connection.serverStreaming(method(RPC.watchSession), request, session: name))
  }

  /// Asks for permission to inject speech. Returns when the person has decided.
  public func requestInjectionPermission(
    _ name: String, usageDescription: String
  ) async throws -> Anechoic_V1_InjectionPermission {
    let response: Anechoic_V1_RequestInjectionPermissionResponse = try await unary(
      RPC.requestInjectionPermission,
      Anechoic_V1_RequestInjectionPermissionRequest.with {
        $0.name = name
        $0.usageDescription = usageDescription
      }, of: name, timeout: nil)
    return response.permission
  }

  /// Tells whether this client can speak into a session, without asking anybody. The session need not
  /// run.
  public func injectionStatus(_ name: String) async throws -> Anechoic_V1_InjectionStatus {
    let response: Anechoic_V1_GetInjectionStatusResponse = try await unary(
      RPC.getInjectionStatus,
      Anechoic_V1_GetInjectionStatusRequest.with { $0.name = name }, of: name)
    return response.status
  }

  /// Watches calls that begin, end and take speech: one session, which need not run yet, or all that
  /// this client may know of.
  public func watchInjection(_ name: String? = nil) async throws -> InjectionWatchStream {
    InjectionWatchStream(
      try await connection.serverStreaming(
        method(RPC.watchInjection),
        Anechoic_V1_WatchInjectionRequest.with { $0.name = name ?? "" }, session: name))
  }

  /// Starts to inject speech, as audio in the format of `start` or as text.
  public func injectSpeech(_ start: Anechoic_V1_InjectionStart) async throws -> InjectionStream {
    try await InjectionStream(
      try connection.call(method(RPC.injectSpeech), session: start.name), start)
  }

  /// Records a session that has not started yet, from start to end. Returns when the server waits
  /// for the session. The server waits for `wait`, up to an hour; nil selects a minute.
  public func record(_ name: String, wait: Duration? = nil) async throws -> RecordingStream {
    let request = Anechoic_V1_RecordSessionRequest.with {
      $0.name = name
      if let wait { $0.wait = Google_Protobuf_Duration(rounding: wait) }
    }
    return try await RecordingStream(
      connection.serverStreaming(method(RPC.recordSession), request, session: name))
  }

  private func unary<Request: Message, Response: Message>(
    _ name: String, _ request: Request, of session: String? = nil,
    timeout: Duration? = SessionsClient.timeout
  ) async throws -> Response {
    try await connection.unary(method(name), request, session: session, timeout: timeout)
  }

  private func method(_ name: String) -> Method { Method(service: RPC.sessions, name: name) }
}
