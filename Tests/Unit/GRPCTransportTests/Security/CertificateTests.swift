import GRPCTransport
import TestCredentials
import Testing

/// Invalid certificates and keys, which are refused before any connection.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CertificateTests {
  private let certificates: Certificates

  init() async throws { certificates = try await Certificates() }

  /// Returns PEM texts without a usable certificate.
  private func unusable() throws -> [[UInt8]] {
    let good = try certificates.bytes("ca.pem")
    let frame = (begin: "-----BEGIN CERTIFICATE-----\n", end: "\n-----END CERTIFICATE-----\n")
    return [
      [], [0], Array(repeating: 255, count: 100_000), [UInt8]("no certificate\n"),
      try certificates.bytes("ca.key"), Array(good.dropLast(30)), Array(good.prefix(40)),
      [UInt8](frame.begin + "AAAA" + frame.end), [UInt8](frame.begin + "!" + frame.end),
      // libgrpc would use the first certificate and ignore the rest without an error.
      good + Array(good.dropLast(100)), good + [0] + good,
      good + [UInt8](frame.begin + "AAAA" + frame.end),
    ]
  }

  @Test func unusableAuthoritiesAreReported() throws {
    for pem in try unusable() {
      let error = #expect(throws: CertificateError.self) { try CertificateAuthorities(pem: pem) }
      guard case .certificates(let reason) = error else {
        Issue.record("\(String(describing: error)) for \(String(decoding: pem, as: UTF8.self))")
        continue
      }
      #expect(!reason.isEmpty && !reason.contains(where: \.isNewline))
    }
  }

  @Test func unusableCertificatesAreReported() throws {
    let key = try certificates.bytes("ca.key")
    for pem in try unusable() {
      let error = #expect(throws: CertificateError.self) {
        try CertificateIdentity(certificateChain: pem, key: key)
      }
      if case .certificates = error { continue }
      Issue.record("\(String(describing: error)) for \(String(decoding: pem, as: UTF8.self))")
    }
    #expect(throws: CertificateError.certificates(reason: "ee key too small")) {
      try certificates.identity("weak")
    }
  }

  @Test func unusableKeysAreReported() throws {
    func error(_ key: [UInt8]) throws -> CertificateError? {
      let chain = try certificates.bytes("client.pem")
      return #expect(throws: CertificateError.self) {
        try CertificateIdentity(certificateChain: chain, key: key)
      }
    }
    let good = try certificates.bytes("client.key")
    for key in [[], [0], [UInt8]("no key\n"), Array(good.dropLast(30)), [0] + good] {
      guard case .key(let reason) = try error(key) else {
        Issue.record("\(String(decoding: key, as: UTF8.self))")
        continue
      }
      #expect(!reason.isEmpty && !reason.contains(where: \.isNewline))
    }
    try #expect(
      error(certificates.bytes("client.pem")) == .key(reason: "no private key in PEM"))
    try #expect(
      error(certificates.bytes("client-encrypted.key"))
        == .key(reason: "encrypted with a password"))
    // Other keys of the same kind and of another kind.
    for other in ["server.key", "weak.key"] {
      try #expect(error(certificates.bytes(other)) == .keyOfAnotherCertificate)
    }
  }

  @Test func textAroundThePEMDoesNotMatter() throws {
    let (chain, key) = (
      try certificates.bytes("chained.pem"), try certificates.bytes("chained.key")
    )
    let together = [UInt8]("# Of the server\n") + key + [UInt8]("\r\n# \u{fc}\n\n") + chain
    _ = try CertificateIdentity(certificateChain: together, key: together)
    _ = try CertificateAuthorities(pem: together)
  }
}
