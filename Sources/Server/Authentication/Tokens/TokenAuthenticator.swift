internal import Foundation
internal import GRPCTransport
internal import Synchronization

/// Identifies clients by a JSON Web Token in the header `authorization`. The subject of the token is
/// the name of the principal.
///
/// A signature is verified on a thread of `BackgroundExecutor`, and once for each token. Later calls
/// with the token only check the time.
public final class TokenAuthenticator: Authenticator {
  private let keys: TokenKeyFile
  private let policy: TokenPolicy
  private let cache = Mutex(TokenCache())
  private let waiting = WaitingCalls()

  public init(keys: TokenKeyFile, policy: TokenPolicy) {
    self.keys = keys
    self.policy = policy
  }

  public func authentication(of call: any Caller) -> Authentication {
    let host = PeerAddress.host(of: call.peer)
    do throws(AuthenticationFailure) {
      let token = try BearerToken(call.metadata)
      let version = keys.current.version
      if let grant = cache.withLock({ $0.grant(token, version: version) }) {
        return .known(try identified(grant, host))
      }
      guard let place = waiting.enter(host) else { throw .tooManyWait }
      return .pending {
        withExtendedLifetime(place) { self.verified(token, host) }
      }
    } catch {
      return .refused(error)
    }
  }

  private func verified(
    _ token: BearerToken, _ host: String
  ) -> Result<Identified, AuthenticationFailure> {
    Result { () throws(AuthenticationFailure) in
      let (keys, version) = keys.current
      let signed = try SignedToken(token.text)
      try keys.verify(signed)
      guard let claims = TokenClaims(signed.payload) else {
        throw .invalid("the claims of the token cannot be read, or one is of the wrong type")
      }
      let grant = try policy.grant(claims, at: .now)
      cache.withLock { $0.keep(grant, of: token, version: version) }
      return try identified(grant, host)
    }
  }

  private func identified(
    _ grant: TokenGrant, _ host: String
  ) throws(AuthenticationFailure) -> Identified {
    let now = Date.now
    try grant.check(at: now, clockSkew: policy.clockSkew)
    let principal = Principal(
      name: grant.name, host: host, scopes: grant.scopes, isVerified: true)
    return Identified(
      principal,
      lifetime: policy.endsExpiredCalls
        ? grant.lifetime(from: now, clockSkew: policy.clockSkew) : nil)
  }
}
