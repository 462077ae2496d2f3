internal import Authentication
internal import GRPCTransport
public import Operations

/// Lets only clients with the scope `admin` make the changes that the HTTP listener offers.
public struct OperatorGate: Sendable {
  let authenticator: any Authenticator
  let log: ServerLog

  /// Answers a request with what `change` returns, which gets the name of the client, or with a refusal:
  /// 401 for a client that is not known, 403 for one without the scope. `action` is the name of the
  /// change in the log.
  public func answer(
    _ request: HTTPRequest, _ action: String,
    _ change: @escaping @Sendable (_ principal: String) -> HTTPResponse
  ) -> HTTPAnswer {
    var metadata = Metadata()
    for (name, value) in request.headers { metadata.append(name, value) }
    let caller = PlainCaller(peer: request.peer, metadata: metadata)
    return .made(on: BackgroundExecutor.shared) { exchange in
      switch await client(caller) {
      case .success(let principal) where principal.has(.admin):
        exchange.respond(change(principal.name))
      case .success(let principal):
        exchange.respond(
          refusal(of: action, .scopeMissing(.admin, for: request.path), caller, principal))
      case .failure(let failure):
        exchange.respond(refusal(of: action, Status(failure), caller, nil))
      }
    }
  }

  private func client(_ caller: PlainCaller) async -> Result<Principal, AuthenticationError> {
    switch authenticator.authentication(of: caller) {
    case .known(let client): .success(client.principal)
    case .refused(let failure): .failure(failure)
    case .pending(let identify): await identify().map(\.principal)
    }
  }

  private func refusal(
    of action: String, _ status: Status, _ caller: PlainCaller, _ principal: Principal?
  ) -> HTTPResponse {
    let cause = ServerLog.Cause(
      principal, host: PeerAddress.host(of: caller.peer),
      correlation: CorrelationID.of(caller.metadata))
    log.refused(action, status, by: cause)
    var response = HTTPResponse(
      "\(status.message.filter { !$0.isNewline })\n", status: HTTPStatus(status.code))
    if status.code == .unauthenticated { response.headers["WWW-Authenticate"] = "Bearer" }
    return response
  }
}
