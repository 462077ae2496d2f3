internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

/// SessionService for the agent's own session. The server answers while it is connected. Otherwise
/// the agent answers the calls that make sense without a server.
struct LocalSessions: Sendable {
  private let agent: EdgeAgent
  private let channel: ForwardingChannel
  private let muteOrder = CallOrder()

  init(_ agent: EdgeAgent) {
    self.agent = agent
    channel = ForwardingChannel(agent.configuration.server)
  }

  var methods: [ServerMethod] {
    [
      unary(RPC.listSessions, Anechoic_V1_ListSessionsRequest.self) { _ in
        ""
      } connected: {
        session, _, context in
        let bytes = try await forward(
          RPC.getSession,
          Anechoic_V1_GetSessionRequest.with { $0.name = session.name }.serializedBytes(),
          of: session, context)
        let response: Anechoic_V1_GetSessionResponse = try .decoded(bytes)
        return try Anechoic_V1_ListSessionsResponse.with { $0.sessions = [response.session] }
          .serializedBytes()
      } away: { _ in
        let session = await agent.voice.ask { $0.describeLocalSession() }
        return try Anechoic_V1_ListSessionsResponse.with { $0.sessions = [session] }
          .serializedBytes()
      },
      unary(RPC.getSession, Anechoic_V1_GetSessionRequest.self, name: \.name) { _ in
        let session = await agent.voice.ask { $0.describeLocalSession() }
        return try Anechoic_V1_GetSessionResponse.with { $0.session = session }.serializedBytes()
      },
      setMute,
      reportMuteGesture,
      unary(RPC.updateSession, Anechoic_V1_UpdateSessionRequest.self, name: \.session.name),
      unary(RPC.deleteSession, Anechoic_V1_DeleteSessionRequest.self, name: \.name),
      unary(
        RPC.requestInjectionPermission, Anechoic_V1_RequestInjectionPermissionRequest.self,
        name: \.name),
      unary(
        RPC.getInjectionStatus, Anechoic_V1_GetInjectionStatusRequest.self, name: \.name
      ) { request in
        try Anechoic_V1_GetInjectionStatusResponse.with { $0.status = .away(request.name) }
          .serializedBytes()
      },
      watchInjection,
      streaming(RPC.watchSession, Anechoic_V1_WatchSessionRequest.self, name: \.name),
      streaming(RPC.recordSession, Anechoic_V1_RecordSessionRequest.self, name: \.name),
      injectSpeech,
    ]
  }

  /// Changes the mute state. A mute withholds audio on this machine before the server has answered.
  /// It holds if the connection is lost meanwhile or the server refuses it: the agent then asks the
  /// server itself. An unmute waits until the audio has been sent that was captured before it. Of several
  /// requests that are under way, the last one counts. A change for a sample is the server's.
  private var setMute: ServerMethod {
    unary(RPC.setMute, Anechoic_V1_SetMuteRequest.self) {
      $0.name
    } connected: {
      session, request, context in
      guard !request.hasAtSample else {
        return try await forward(
          RPC.setMute, request.naming(session.name, at: \.name).serializedBytes(), of: session,
          context)
      }
      if !request.muted { try await passCaptured() }
      let id = await agent.voice.ask { $0.anticipateMute(request.muted) }
      do {
        let bytes: [UInt8] = try request.naming(session.name, at: \.name).serializedBytes()
        let answer = try await muteOrder.pass { () async throws -> [UInt8]? in
          // Not if another request has followed, which might have overtaken this one.
          guard await agent.voice.ask({ $0.isNewest(id) }) else { return nil }
          return try await agent.board.whileConnected(by: session.connection) {
            try await forward(RPC.setMute, bytes, of: session, context)
          }
        }
        guard let answer else {
          let state = await agent.voice.ask { $0.describeLocalSession().mute }
          return try Anechoic_V1_SetMuteResponse.with { $0.state = state }.serializedBytes()
        }
        let state = try Anechoic_V1_SetMuteResponse(serializedBytes: answer).state
        agent.voice.post { $0.muteAnswered(id, state) }
        return answer
      } catch let status as Status where request.holds(after: status) {
        // A request that has followed meanwhile counts instead.
        let state = await agent.voice.ask { $0.repeatMute(id, request.muted) }
        return try Anechoic_V1_SetMuteResponse.with { $0.state = state }.serializedBytes()
      } catch {
        agent.voice.post { $0.muteAnswered(id, nil) }
        throw error
      }
    } away: { request in
      if !request.muted { try await passCaptured() }
      return try await setMuteLocally(request)
    }
  }

  /// Waits until the audio has been sent that was captured before now. Throws ABORTED if somebody
  /// has asked to mute since.
  private func passCaptured() async throws {
    guard await agent.voice.passesCaptured() else {
      throw Status(.aborted, "somebody has asked to mute since")
    }
  }

  /// Reports a press. One that unmutes waits like any unmute.
  private var reportMuteGesture: ServerMethod {
    unary(RPC.reportMuteGesture, Anechoic_V1_ReportMuteGestureRequest.self) {
      $0.name
    } connected: {
      session, request, context in
      if await !mutes(request) { try await passCaptured() }
      return try await forward(
        RPC.reportMuteGesture, request.naming(session.name, at: \.name).serializedBytes(),
        of: session, context)
    } away: { request in
      if await !mutes(request) { try await passCaptured() }
      return try await reportLocally(request)
    }
  }

  /// Whether a press asks to mute. One without a state asks for the other one.
  private func mutes(_ request: Anechoic_V1_ReportMuteGestureRequest) async -> Bool {
    request.hasMuted ? request.muted : await agent.voice.ask { !$0.mute.session }
  }

  private func setMuteLocally(_ request: Anechoic_V1_SetMuteRequest) async throws -> [UInt8] {
    guard !request.hasAtSample else {
      throw Status(.unavailable, "at_sample needs the server, which is not available")
    }
    let state = await agent.voice.ask { voice in
      voice.setMute(request.muted)
      return voice.describeLocalSession().mute
    }
    return try Anechoic_V1_SetMuteResponse.with { $0.state = state }.serializedBytes()
  }

  private func reportLocally(
    _ request: Anechoic_V1_ReportMuteGestureRequest
  ) async throws -> [UInt8] {
    let command = agent.configuration.localGestureCommand
    guard await GestureCommand.accepts(command, muted: await mutes(request)) else {
      return try await agent.voice.ask { $0.rejection() }.serializedBytes()
    }
    let result = await agent.voice.ask { $0.report(request) }
    guard let result else { throw Status(.unavailable, "the local session is not running") }
    return try result.serializedBytes()
  }

  private var injectSpeech: ServerMethod {
    ServerMethod.clientStreaming(Self.method(RPC.injectSpeech)) { requests, context in
      guard let first = try await requests.next() else {
        throw Status(.invalidArgument, "the first message must be the start")
      }
      let start: Anechoic_V1_InjectSpeechRequest = try .decoded(first)
      guard let session = try session(named: start.start.name) else {
        throw Self.needsServer(RPC.injectSpeech)
      }
      return try await whileAnswered(session, context) {
        let call = session.channel.call(
          Self.method(RPC.injectSpeech), metadata: try metadata(for: session, context))
        let pump = Task {
          try await call.send(start.naming(session.name, at: \.start.name).serializedBytes())
          while let message = try await requests.next() { try await call.send(message) }
          call.halfClose()
        }
        defer { pump.cancel() }
        guard let response = try await call.receive() else {
          throw Status(.internal, "the injection ended without a response")
        }
        return response
      }
    }
  }

  private var watchInjection: ServerMethod {
    ServerMethod.serverStreaming(Self.method(RPC.watchInjection)) { bytes, context, responses in
      let request: Anechoic_V1_WatchInjectionRequest = try .decoded(bytes)
      _ = try session(named: request.name)
      let own = "sessions/\(agent.configuration.session.id)"
      let watch = LocalInjectionWatch(
        board: agent.board, name: request.name.isEmpty ? own : request.name
      ) { status in
        guard let session = channel.session(of: status) else {
          throw Self.needsServer(RPC.watchInjection)
        }
        return try await session.channel.serverStreaming(
          Self.method(RPC.watchInjection),
          Anechoic_V1_WatchInjectionRequest.with { $0.name = session.name }.serializedBytes(),
          metadata: try metadata(for: session, context))
      } send: {
        try await responses.send($0.serializedBytes())
      }
      try await watch.run()
    }
  }

  // MARK: The ways of a call

  private func unary<Request: Message>(
    _ name: String, _: Request.Type, name path: any WritableKeyPath<Request, String> & Sendable,
    away: (@Sendable (Request) async throws -> [UInt8])? = nil
  ) -> ServerMethod {
    unary(name, Request.self) {
      $0[keyPath: path]
    } connected: { session, request, context in
      try await forward(
        name, request.naming(session.name, at: path).serializedBytes(), of: session, context)
    } away: { request in
      guard let away else { throw Self.needsServer(name) }
      return try await away(request)
    }
  }

  private func unary<Request: Message>(
    _ name: String, _: Request.Type, _ sessionName: @escaping @Sendable (Request) -> String,
    connected:
      @escaping @Sendable (ForwardedSession, Request, CallContext) async throws -> [UInt8],
    away: @escaping @Sendable (Request) async throws -> [UInt8]
  ) -> ServerMethod {
    ServerMethod.unary(Self.method(name)) { bytes, context in
      let request: Request = try .decoded(bytes)
      guard let session = try session(named: sessionName(request)) else {
        return try await away(request)
      }
      return try await connected(session, request, context)
    }
  }

  private func streaming<Request: Message>(
    _ name: String, _: Request.Type, name path: any WritableKeyPath<Request, String> & Sendable
  ) -> ServerMethod {
    ServerMethod.serverStreaming(Self.method(name)) { bytes, context, responses in
      let request: Request = try .decoded(bytes)
      guard let session = try session(named: request[keyPath: path]) else {
        throw Self.needsServer(name)
      }
      try await whileAnswered(session, context) {
        let call = try await session.channel.serverStreaming(
          Self.method(name), request.naming(session.name, at: path).serializedBytes(),
          metadata: try metadata(for: session, context))
        while let message = try await call.receive() { try await responses.send(message) }
      }
    }
  }

  /// Returns the session on the server, or nil while there is no server. Throws NOT_FOUND for the name
  /// of another session.
  private func session(named name: String) throws(Status) -> ForwardedSession? {
    guard agent.configuration.session.join == nil else {
      throw Status(
        .failedPrecondition,
        "this agent only plays the session; ask the agent with the microphone")
    }
    let status = agent.board.status
    let own = "sessions/\(agent.configuration.session.id)"
    let names = ["", own] + (status.isConnected ? [status.session] : [])
    guard names.contains(name) else {
      throw Status(.notFound, "name: this agent's session is \"\(own)\"")
    }
    return channel.session(of: status)
  }

  private func forward(
    _ name: String, _ bytes: [UInt8], of session: ForwardedSession, _ context: CallContext
  ) async throws -> [UInt8] {
    try await whileAnswered(session, context) {
      try await session.channel.unary(
        Self.method(name), bytes, metadata: try metadata(for: session, context),
        timeout: context.timeLeft)
    }
  }

  /// Returns the result of a call to the session. Throws UNAVAILABLE once the agent has lost its
  /// connection and the server does not answer on the connection of the call either.
  ///
  /// A call that the server answers goes on: the answer to `DeleteSession` and the end of a recording
  /// come after the session's end.
  private func whileAnswered<Result: Sendable>(
    _ session: ForwardedSession, _ context: CallContext,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await race(
      body,
      {
        var connection: Int? = session.connection
        for await status in agent.board.watch() where status.connection != connection {
          connection = status.connection
          try await checkAnswer(of: session, context)
        }
        throw CancellationError()
      })
  }

  /// Throws UNAVAILABLE if the server does not answer on the connection of a call.
  private func checkAnswer(of session: ForwardedSession, _ context: CallContext) async throws {
    let request = Anechoic_V1_GetSessionRequest.with { $0.name = session.name }
    do {
      _ = try await session.channel.unary(
        Self.method(RPC.getSession), request.serializedBytes(),
        metadata: try metadata(for: session, context), timeout: ReconnectionPolicy().silence)
    } catch let status as Status where status.code == .deadlineExceeded {
      throw Status(
        .unavailable, "the connection to the server was lost during the call; start the call again")
    } catch {
      // A refusal is an answer, and a connection that breaks ends the call itself.
    }
  }

  /// Returns the headers of a call to the server: the name of the local client, the id of the
  /// session for a proxy, and the agent's own token. Every client of the socket acts for the agent.
  private func metadata(
    for session: ForwardedSession, _ context: CallContext
  ) throws(Status) -> Metadata {
    var metadata = Metadata()
    if let name = context.metadata[RPC.clientName] { metadata.append(RPC.clientName, name) }
    metadata.append(RPC.sessionKey, String(session.name.dropFirst("sessions/".count)))
    if let credentials = agent.configuration.server.credentials {
      metadata.append("authorization", "Bearer \(try credentials.token())")
    }
    return metadata
  }

  private static func needsServer(_ name: String) -> Status {
    Status(.unavailable, "\(name) needs the server, which is not available")
  }

  private static func method(_ name: String) -> Method {
    Method(service: RPC.sessions, name: name)
  }
}

extension Anechoic_V1_SetMuteRequest {
  /// Whether the request counts although it has failed. A condition that the state does not meet is
  /// final.
  fileprivate func holds(after status: Status) -> Bool {
    status.isUnreachable || !hasIfGeneration && (muted || status.isTooManyControls)
  }
}

extension Message {
  /// Returns the request with the name of the session on the server, which may differ from its name
  /// here.
  fileprivate func naming(_ session: String, at path: WritableKeyPath<Self, String>) -> Self {
    var request = self
    request[keyPath: path] = session
    return request
  }
}
