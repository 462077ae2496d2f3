import AnechoicAPI
import Authentication
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestCredentials
import Testing
import VoiceClient
import VoiceServer

/// Tokens that a server refuses, and what clients see of it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RefusedTokenTests {
  /// A header that proves nothing.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let headers: @Sendable (TokenIssuer) throws -> Metadata

    init(
      _ description: String, reason: String = "CREDENTIALS_INVALID",
      _ headers: @escaping @Sendable (TokenIssuer) throws -> Metadata
    ) {
      testDescription = description
      self.reason = reason
      self.headers = headers
    }

    /// A case with one token.
    static func token(
      _ description: String, _ token: @escaping @Sendable (TokenIssuer) throws -> String
    ) -> Case {
      Case(description) { .authorization("Bearer \(try token($0))") }
    }

    /// A case with a token whose claims differ from those of a good one.
    static func claims(
      _ description: String, _ change: @escaping @Sendable (String) -> String
    ) -> Case {
      .token(description) { try $0.token(claims: change(TokenIssuer.claims())) }
    }

    static let all = [
      Case("no token", reason: "CREDENTIALS_MISSING") { _ in Metadata() },
      Case("another scheme", reason: "CREDENTIALS_MISSING") { _ in .authorization("Basic eDp5") },
      Case("two tokens") {
        let good = "Bearer \(try $0.token(for: "olga", "media"))"
        return .authorization(good, good)
      },
      Case("a hundred headers") {
        let good = "Bearer \(try $0.token(for: "olga", "media"))"
        var metadata = Metadata()
        for index in 0..<100 { metadata.append("authorization", index == 0 ? good : "Bearer x") }
        return metadata
      },
      token("nonsense") { _ in "nonsense" },
      token("only dots") { _ in String(repeating: ".", count: 1000) },
      token("a forged signature") {
        let good = try $0.token(for: "olga", "media")
        return String(good.dropLast(8)) + "AAAAAAAA"
      },
      token("no signature") {
        let good = try $0.token(for: "olga", "media")
        return good.split(separator: ".").dropLast().joined(separator: ".") + "."
      },
      token("other claims under the same signature") {
        let parts = try $0.token(for: "olga", "media").split(separator: ".")
        let forged = TokenIssuer.encoded("{\(TokenIssuer.claims(scopes: "admin"))}")
        return "\(parts[0]).\(forged).\(parts[2])"
      },
      token("the algorithm none") {
        _ = $0
        let header = TokenIssuer.encoded(#"{"alg":"none"}"#)
        return "\(header).\(TokenIssuer.encoded("{\(TokenIssuer.claims())}"))."
      },
      token("HS256, signed with the public key") {
        try hmacToken(key: $0.bytes("rsa.pem"))
      },
      token("a key that the server does not have") {
        try $0.token(for: "olga", "media", signedBy: .stranger)
      },
      token("an unknown kid") {
        try $0.token(claims: TokenIssuer.claims(), header: #""alg":"ES256","kid":"other""#)
      },
      token("a key inside the header") {
        let jwk = $0.ecEntry
        return try $0.token(
          claims: TokenIssuer.claims(), header: #""alg":"ES256","jwk":\#(jwk)"#,
          signedBy: .stranger)
      },
      token("an RSA key under the algorithm of EC keys") {
        try $0.token(
          claims: TokenIssuer.claims(), header: #""alg":"ES256","kid":"ec-1""#, signedBy: .rsa)
      },
      token("expired") { try $0.token(for: "olga", "media", lifetime: -31) },
      claims("not valid yet") { $0 + ",\"nbf\":\(Int(Date.now.timeIntervalSince1970) + 60)" },
      claims("another audience") { $0.replacing(TokenIssuer.audience, with: "other") },
      claims("an empty list of audiences") {
        $0.replacing("\"\(TokenIssuer.audience)\"", with: "[]")
      },
      claims("another issuer") { $0.replacing(TokenIssuer.issuer, with: "https://other.test") },
      claims("an empty subject") { $0.replacing("\"olga\"", with: "\"\"") },
      claims("control characters in the subject") {
        $0.replacing("\"olga\"", with: #""ol\u001b[31mga\n""#)
      },
      claims("a scope of the wrong type") { $0.replacing("\"media\"", with: "{\"a\":1}") },
      claims("a number that is too large") { $0 + ",\"nbf\":1e999" },
      claims("deep claims") { $0 + ",\"x\":" + String(repeating: "[", count: 3000) },
      token("8,193 bytes") { _ in String(repeating: "a", count: 8193) },
    ]

    /// Returns a token whose signature is an HMAC with the bytes of a public key.
    private static func hmacToken(key: [UInt8]) throws -> String {
      let signed =
        "\(TokenIssuer.encoded(#"{"alg":"HS256"}"#)).\(TokenIssuer.encoded("{\(TokenIssuer.claims())}"))"
      let process = Process()
      let (input, output) = (Pipe(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      let hex = key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      process.arguments = [
        "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hex)", "-binary",
      ]
      (process.standardInput, process.standardOutput) = (input, output)
      try process.run()
      input.fileHandleForWriting.write(Data(signed.utf8))
      try input.fileHandleForWriting.close()
      let signature = output.fileHandleForReading.readDataToEndOfFile().base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      return "\(signed).\(signature)"
    }
  }

  @Test(arguments: Case.all)
  func aTokenThatProvesNothingIsRefused(refused: Case) async throws {
    try await TokenServer.run { tokens in
      let headers = try refused.headers(tokens.issuer)
      for method in [RPC.process, RPC.getCapabilities] {
        let call = tokens.server.channel.call(
          Method(service: RPC.voiceProcessing, name: method), metadata: headers,
          timeout: .seconds(20))
        let status = try await refusal {
          do {
            try await call.send([])
            call.halfClose()
          } catch is Status {
            // `receive` throws the same error.
          }
          while try await call.receive() != nil {}
        }
        #expect(status?.code == .unauthenticated, "\(String(describing: status))")
        #expect(status?.reason == refused.reason, "\(String(describing: status))")
        // An error shows nothing of the token.
        for value in headers.entries.map({ String(decoding: $0.value, as: UTF8.self) })
        where value.utf8.count > 20 {
          #expect(status?.message.contains(value.dropFirst(10)) == false)
        }
      }
      #expect(try await tokens.steering("root", "admin").list().isEmpty)
    }
  }

  @Test func aTokenOfNearlyTheLargestSizeIsAccepted() async throws {
    try await TokenServer.run { tokens in
      let claims = TokenIssuer.claims() + ",\"groups\":\"\(String(repeating: "g", count: 5500))\""
      let token = try tokens.issuer.token(claims: claims)
      #expect((7500...8192).contains(token.utf8.count), "\(token.utf8.count)")
      let client = VoiceProcessingClient(
        server: tokens.server.address, credentials: FixedToken(text: token))
      #expect(try await client.capabilities().sessionsActive == 0)
    }
  }

  @Test func aFloodOfBadTokensHarmsNoHonestClient() async throws {
    try await TokenServer.run(threads: 2) { tokens in
      let honest = try tokens.media("olga")
      let stream = try await honest.process(.mediaClock())
      let bad = try tokens.issuer.token(for: "eve", "admin", signedBy: .stranger)
      let channel = tokens.server.channel
      let codes = try await withThrowingTaskGroup(of: StatusCode.self) { group in
        for index in 0..<1000 {
          group.addTask {
            let status = try await refusal {
              _ = try await channel.unary(
                Method(service: RPC.voiceProcessing, name: RPC.getCapabilities), [],
                metadata: .authorization("Bearer \(bad)\(index)"), timeout: .seconds(60))
            }
            return status?.code ?? .ok
          }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(codes[.unauthenticated, default: 0] > 0, "\(codes)")
      // On a fast machine the watch over empty calls resets the connection of such a flood.
      let refused: [StatusCode] = [.unauthenticated, .resourceExhausted, .unavailable]
      #expect(refused.reduce(0) { $0 + codes[$1, default: 0] } == 1000, "\(codes)")
      #expect(try await honest.capabilities().sessionsActive == 1)
      try await stream.send(.with { $0.microphone.samples = Data(count: 3200) })
      #expect(try await stream.receive() != nil)
      stream.cancel()
    }
  }
}
