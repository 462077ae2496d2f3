public import Foundation

/// An issuer of tokens for a test, with keys in a temporary folder:
///
/// - keys.json: a key set with the public keys `ec-1` (ES256) and `rsa-1` (RS256).
/// - rsa.pem: the public key `rsa-1`.
/// - rsa.key: the private key `rsa-1`.
public final class TokenIssuer: Sendable {
  /// The keys that sign tokens.
  public enum Key: Sendable {
    case ec, rsa
    /// An EC key that is not in the key set.
    case stranger
  }

  public static let issuer = "https://issuer.test"
  public static let audience = "anechoic-test"

  public let folder: URL
  private let ec: SigningKey
  private let rsa: SigningKey
  private let stranger: SigningKey
  /// The entries of keys.json.
  public let ecEntry: String
  public let rsaEntry: String

  public init() async throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-tokens-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await ShellScript.run(
      """
      set -e
      for name in ec stranger; do openssl ecparam -name prime256v1 -genkey -noout -out $name.key; done
      openssl genrsa -out rsa.key 2048
      openssl rsa -in rsa.key -pubout -out rsa.pem
      """, in: folder)
    let folder = folder
    func key(_ file: String) throws -> SigningKey {
      try SigningKey(pem: [UInt8](Data(contentsOf: folder.appendingPathComponent(file))))
    }
    ec = try key("ec.key")
    stranger = try key("stranger.key")
    rsa = try key("rsa.key")
    let (x, y) = try ec.coordinates()
    ecEntry = """
      {"kty":"EC","crv":"P-256","kid":"ec-1","alg":"ES256","use":"sig",\
      "x":"\(Self.url(x))","y":"\(Self.url(y))"}
      """
    rsaEntry = """
      {"kty":"RSA","kid":"rsa-1","alg":"RS256","use":"sig","n":"\(Self.url(try rsa.modulus()))","e":"AQAB"}
      """
    try write("{\"keys\":[\(ecEntry),\(rsaEntry)]}", to: "keys.json")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  public func path(_ file: String) -> String { folder.appendingPathComponent(file).path }

  public func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(file), options: .atomic)
  }

  public func bytes(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
  }

  /// Returns a token for a client with these scopes. It is valid from now for the lifetime in
  /// seconds.
  public func token(
    for subject: String, _ scopes: String, lifetime: Double = 3600, signedBy key: Key = .ec
  ) throws -> String {
    try token(
      claims: Self.claims(subject: subject, scopes: scopes, lifetime: lifetime), signedBy: key)
  }

  /// Returns the claims of a good token, as JSON without the braces.
  public static func claims(
    subject: String = "olga", scopes: String = "media", lifetime: Double = 3600
  ) -> String {
    let now = Date.now.timeIntervalSince1970
    return """
      "iss":"\(issuer)","aud":"\(audience)","sub":"\(subject)","scope":"\(scopes)",\
      "exp":\(Int(now + lifetime))
      """
  }

  /// Returns a signed token with any claims, and with any header.
  public func token(
    claims: String, header: String? = nil, signedBy key: Key = .ec
  ) throws -> String {
    let (signer, usual) =
      switch key {
      case .ec: (ec, "\"alg\":\"ES256\",\"kid\":\"ec-1\"")
      case .rsa: (rsa, "\"alg\":\"RS256\",\"kid\":\"rsa-1\"")
      case .stranger: (stranger, "\"alg\":\"ES256\",\"kid\":\"ec-1\"")
      }
    let signed = "\(Self.encoded("{\(header ?? usual)}")).\(Self.encoded("{\(claims)}"))"
    return "\(signed).\(Self.url(try signer.signature(of: Data(signed.utf8))))"
  }

  public static func encoded(_ json: String) -> String {
    url(Data(json.utf8))
  }

  /// Encodes bytes as base64url without padding (RFC 4648, section 5).
  private static func url(_ bytes: Data) -> String {
    bytes.base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
