import AnechoicAPI
import Authentication
import Foundation
import GRPCTransport
import TestCredentials
import Testing
import VoiceClient
import VoiceServer

/// A server that requires tokens, and the issuer of the tokens.
struct TokenServer {
  let server: TestServer
  let issuer: TokenIssuer
  let keys: TokenKeyFile

  /// Runs `body` with a server that trusts `issuer`.
  static func run(
    threads: Int = 1, policy: TokenPolicy = .test,
    _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (TokenServer) async throws -> Void
  ) async throws {
    let issuer = try await TokenIssuer()
    let keys = try TokenKeyFile(path: issuer.path("keys.json"))
    try await TestServer.run(threads: threads) {
      $0.authenticator = TokenAuthenticator(keys: .file(keys), policy: policy)
      try configure(&$0)
    } _: { server in
      try await body(TokenServer(server: server, issuer: issuer, keys: keys))
    }
  }

  /// Returns a media client with a token.
  func media(_ name: String, _ scopes: String = "media") throws -> VoiceProcessingClient {
    VoiceProcessingClient(server: server.address, credentials: try credentials(name, scopes))
  }

  /// Returns a client of the session service with a token.
  func steering(_ name: String, _ scopes: String) throws -> SessionsClient {
    SessionsClient(
      server: server.address, clientName: "ignored", credentials: try credentials(name, scopes))
  }

  /// Returns the headers of a call with a token.
  func headers(_ name: String, _ scopes: String) throws -> Metadata {
    .authorization("Bearer \(try issuer.token(for: name, scopes))")
  }

  private func credentials(_ name: String, _ scopes: String) throws -> FixedToken {
    FixedToken(text: try issuer.token(for: name, scopes))
  }
}

/// Credentials that never change.
struct FixedToken: CredentialsProvider {
  let text: String

  func token() throws(Status) -> String { text }
}

extension Metadata {
  /// Returns headers with these authorizations.
  static func authorization(_ values: String...) -> Metadata {
    var metadata = Metadata()
    for value in values { metadata.append("authorization", value) }
    return metadata
  }
}

extension TokenPolicy {
  static let test = TokenPolicy(issuer: TokenIssuer.issuer, audience: TokenIssuer.audience)

  /// Returns the policy without tolerance for clocks.
  static func punctual(endsExpiredCalls: Bool = false) -> TokenPolicy {
    var policy = test
    policy.clockSkew = .zero
    policy.endsExpiredCalls = endsExpiredCalls
    return policy
  }
}
