internal import Foundation
internal import GRPCTransport
internal import Synchronization

/// Identifies clients by a JSON Web Token in the header `authorization`. The subject of the token is
/// the name of the principal.
///
/// A signature is verified on a thread of `BackgroundExecutor`, and once for each token. Later calls
/// with the token only check the time.
public final class TokenAuthenticator: Authenticator {
  private let keys: TokenKeySource
  private let policy: TokenPolicy
  private let cache = Mutex(TokenCache())
  private let waiting = WaitingCalls()

  public init(keys: TokenKeySource, policy: TokenPolicy) {
    self.keys = keys
    self.policy = policy
  }

  public var isReady: Bool { keys.isReady }

  public func authentication(of call: any Caller) -> Authentication {
    let host = PeerAddress.host(of: call.peer)
    do throws(AuthenticationError) {
      let token = try BearerToken(call.metadata)
      guard let version = keys.current?.version else { throw .keysUnavailable }
      if let grant = cache.withLock({ $0.grant(token, version: version) }) {
        return .known(try identified(grant, host))
      }
      guard let place = waiting.enter(host) else { throw .tooManyWait }
      return .pending {
        let result = await self.verified(token, host)
        withExtendedLifetime(place) {}
        return result
      }
    } catch {
      return .refused(error)
    }
  }

  private func verified(
    _ token: BearerToken, _ host: String
  ) async -> Result<Identified, AuthenticationError> {
    do throws(AuthenticationError) {
      let signed = try SignedToken(token.text)
      if keys.current?.keys.mayVerify(signed) == false { await keys.lookForNewKeys() }
      guard let (keys, version) = keys.current else { throw .keysUnavailable }
      try keys.verify(signed)
      guard let claims = TokenClaims(signed.payload) else {
        throw .invalid("the claims of the token cannot be read, or one is of the wrong type")
      }
      let grant = try policy.grant(claims, at: .now)
      cache.withLock { $0.keep(grant, of: token, version: version) }
      return .success(try identified(grant, host))
    } catch {
      return .failure(error)
    }
  }

  private func identified(
    _ grant: TokenGrant, _ host: String
  ) throws(AuthenticationError) -> Identified {
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

/// The token that a call carries in the header `authorization`.
struct BearerToken: Hashable {
  /// The maximum size of a token in bytes. All headers of a call together may have 16 KiB.
  static let largestSize = 8 << 10
  private static let scheme = "bearer "

  let text: String

  /// Throws if the call carries no token, several, or one that is too large.
  init(_ metadata: Metadata) throws(AuthenticationError) {
    let values = metadata.entries.filter { $0.key == "authorization" }
    guard let value = values.first?.value else {
      throw .missing("the call has no token; send it in the header authorization: Bearer TOKEN")
    }
    guard values.count == 1 else {
      throw .invalid("the call has \(values.count) authorization headers; only one is allowed")
    }
    guard value.count <= Self.scheme.utf8.count + Self.largestSize else {
      throw .invalid("the token is larger than \(Self.largestSize) bytes")
    }
    let text = String(decoding: value, as: UTF8.self)
    guard text.lowercased().hasPrefix(Self.scheme) else {
      throw .missing("the header authorization must have the form Bearer TOKEN")
    }
    self.text = String(text.dropFirst(Self.scheme.count))
  }
}
