internal import Authentication
internal import GRPCTransport

/// Attaches the principal of its client to each call. Refuses a call whose client is unknown or
/// lacks the scope of the method.
struct AccessInterceptor: CallInterceptor {
  let authenticator: any Authenticator
  let log: ServerLog

  func admission(of call: ServerCall) -> Admission {
    admission(of: call, to: call.method, correlation: call.correlation)
  }

  /// Decides about a call that may not come over gRPC.
  func admission(
    of caller: any Caller, to method: Method, correlation: String
  ) -> Admission {
    let cause = ServerLog.Cause(
      nil, host: PeerAddress.host(of: caller.peer), correlation: correlation)
    switch authenticator.authentication(of: caller) {
    case .known(let client): return .decided(decision(on: method, for: client, correlation))
    case .refused(let failure): return .decided(refusal(of: method, Status(failure), cause))
    case .pending(let identify):
      return .pending {
        switch await identify() {
        case .success(let client): decision(on: method, for: client, correlation)
        case .failure(let failure): refusal(of: method, Status(failure), cause)
        }
      }
    }
  }

  private func decision(
    on method: Method, for client: Identified, _ correlation: String
  ) -> Admission.Decision {
    let (principal, scope) = (client.principal, AccessRule.of(method).scope)
    guard principal.has(scope) else {
      return refusal(
        of: method, .scopeMissing(scope, for: method.name),
        ServerLog.Cause(principal, host: principal.host, correlation: correlation))
    }
    return .admitted(
      principal, expiry: client.lifetime.map { .init(after: $0, .credentialsExpired) })
  }

  private func refusal(
    of method: Method, _ status: Status, _ cause: ServerLog.Cause
  ) -> Admission.Decision {
    log.refused(method.name, status, by: cause)
    return .refused(status)
  }
}
