public import Authentication
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport

/// The settings that say how the server finds out who its clients are.
public struct AuthenticationSettings: Sendable, Equatable {
  public enum Mode: String, Sendable, CaseIterable {
    case none, jwt, certificate
  }

  /// Nil if it is not set. Then only clients of this machine may reach the server, without
  /// authentication.
  public var mode: Mode?
  public var jwtKeys: String?
  public var jwtKeysURL: String?
  public var jwtKeysCA: String?
  public var jwtKeysRefresh = Duration.seconds(600)
  public var jwtIssuer: String?
  public var jwtAudience: String?
  public var jwtClockSkew = Duration.seconds(30)
  public var jwtEndExpiredCalls = false
  public var certificateScopes: [String] = []
  public var certificateDefaultScopes = "media,read,control"

  /// Returns the authenticator, and the keys that verify tokens if there are any. Reads a file of keys,
  /// and fetches none.
  public func authenticator() throws -> (any Authenticator, TokenKeySource?) {
    switch mode ?? .none {
    case .none: return (NoAuthentication(), nil)
    case .certificate:
      return (
        CertificateAuthenticator(
          scopes: ScopeMap(
            certificateScopes.compactMap { ScopeMap.Rule($0) },
            otherwise: Set<Scope>(list: certificateDefaultScopes) ?? [])), nil
      )
    case .jwt:
      let keys = try tokenKeys()
      var policy = TokenPolicy(issuer: jwtIssuer ?? "", audience: jwtAudience ?? "")
      policy.clockSkew = jwtClockSkew
      policy.endsExpiredCalls = jwtEndExpiredCalls
      return (TokenAuthenticator(keys: keys, policy: policy), keys)
    }
  }

  private func tokenKeys() throws -> TokenKeySource {
    if let jwtKeysURL {
      return .address(
        TokenKeyAddress(jwtKeysURL, authorities: jwtKeysCA, refreshedAfter: jwtKeysRefresh))
    }
    let path = jwtKeys ?? ""
    do throws(TokenKeyError) {
      return .file(try TokenKeyFile(path: path))
    } catch {
      throw CommandError("\(path): \(error)")
    }
  }

  /// Whether the mode must be set, because other machines can reach one of the addresses. Then this
  /// address, otherwise nil.
  func addressThatNeedsMode(of addresses: [String]) -> String? {
    mode == nil ? addresses.first { ServerAddress($0)?.isLocal == false } : nil
  }

  /// Returns a warning if clients send tokens to one of the addresses in plaintext, or nil.
  func warning(for addresses: [String], isEncrypted: Bool) -> String? {
    let remote = addresses.first { ServerAddress($0)?.isLocal == false }
    guard let remote, mode == .jwt, !isEncrypted else { return nil }
    return
      "clients send their tokens to \(remote) without TLS, unless a proxy in front of the server "
      + "adds TLS"
  }
}
