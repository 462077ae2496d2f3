internal import Foundation

/// The parts of a JSON Web Token, before anything has been verified.
struct SignedToken {
  /// The fields of a token's header that this server reads. The fields that offer keys (`jwk`,
  /// `jku`, `x5u`, `x5c`) are never read.
  private struct Header: Decodable {
    let alg: String
    let kid: String?
    let crit: [String]?
  }

  let algorithm: TokenAlgorithm
  let keyID: String?
  /// The encoded header and payload, which the signature covers.
  let signedBytes: Data
  let payload: Data
  let signature: Data

  init(_ text: String) throws(AuthenticationError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Data(base64URL: parts[0]),
      let payload = Data(base64URL: parts[1]), let signature = Data(base64URL: parts[2])
    else { throw .invalid("the token is not a signed JSON Web Token (header.payload.signature)") }
    guard let fields = try? JSONDecoder().decode(Header.self, from: header) else {
      throw .invalid("the header of the token cannot be read")
    }
    guard let algorithm = TokenAlgorithm(rawValue: fields.alg) else {
      throw .invalid("the algorithm of the token is not RS256 or ES256")
    }
    guard fields.crit == nil else {
      throw .invalid("the token has critical header fields, which this server does not know")
    }
    self.algorithm = algorithm
    keyID = fields.kid
    signedBytes = Data("\(parts[0]).\(parts[1])".utf8)
    self.payload = payload
    self.signature = signature
  }
}

/// The algorithms of tokens. Others are refused: `none` proves nothing, and HMAC would let everyone
/// who knows a public key sign tokens.
enum TokenAlgorithm: String, CaseIterable, Sendable {
  case rs256 = "RS256"
  case es256 = "ES256"
}

extension Data {
  /// Decodes base64url without padding (RFC 4648, section 5).
  init?(base64URL text: Substring) {
    guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    self.init(base64Encoded: standard + padding)
  }
}
