import AnechoicAPI
import Authentication
import BundledEngines
import Foundation
import Logging
import Operations
import SwiftProtobuf
import Synchronization
import TestNetwork
import TestCredentials
import Testing
import VoiceClient
import VoiceEngines
import VoiceServer

/// A server with the live page, which belongs to one test.
struct PageServer {
  let client: VoiceProcessingClient
  let address: String
  let audits: AuditLines
  let issuer: TokenIssuer?

  /// Runs `body` with a server. With `tokens`, the server requires tokens.
  static func run(
    tokens: Bool = false, hosts: BrowserRule.Hosts = .thisMachine, refusal: String? = nil,
    _ body: (PageServer) async throws -> Void
  ) async throws {
    let issuer = tokens ? try await TokenIssuer() : nil
    var configuration = ServerConfiguration(
      addresses: ["127.0.0.1:0"], threads: 1, engines: .bundled)
    configuration.limits.frameBudget = 0
    if let issuer {
      configuration.authenticator = TokenAuthenticator(
        keys: .file(try TokenKeyFile(path: issuer.path("keys.json"))),
        policy: TokenPolicy(issuer: TokenIssuer.issuer, audience: TokenIssuer.audience))
    }
    let audits = AuditLines()
    configuration.log = ServerLog(
      Logger(label: "log") { _ in SwiftLogNoOpLogHandler() },
      audit: Logger(label: "audit") { _ in audits })
    let server = try VoiceProcessingServer(configuration)
    let page = LivePage(server.sessions, BrowserRule(hosts), refusal)
    let listener = try HTTPListener("127.0.0.1:0") { page.answer($0) ?? .refusal(.notFound) }
    let address = try #require(server.addresses.first)
    do {
      try await body(
        PageServer(
          client: VoiceProcessingClient(server: address, credentials: try issuer?.media),
          address: listener.address, audits: audits, issuer: issuer))
    } catch {
      await server.stop(grace: .zero)
      throw error
    }
    listener.stop()
    await server.stop(grace: .zero)
  }

  /// Starts a session, which lives as long as the stream.
  func session(
    _ id: String, labels: [String: String] = [:]
  ) async throws -> ProcessStream {
    try await client.process(
      .with {
        $0.sessionID = id
        $0.pacing = .mediaClock
        $0.labels = labels
        $0.inputs.microphone = .with {
          $0.sampleRateHz = 16_000
          $0.channelCount = 1
          $0.encoding = .pcmS16Le
        }
        $0.outputs.processed = $0.inputs.microphone
      })
  }

  /// Sends a call of the page and returns the answer.
  func call(_ method: String, _ body: String, headers: [String: String] = [:]) throws -> Answer {
    let client = try begin(method, body, headers: headers)
    return try Answer(client.rest())
  }

  /// Sends a call of the page, and returns the connection.
  func begin(
    _ method: String, _ body: String, headers: [String: String] = [:]
  ) throws -> RawHTTPClient {
    let usual = [
      "Host": address, "Content-Type": "application/json", "anechoic-client": "live page",
      "Content-Length": "\(body.utf8.count)",
    ]
    let lines = usual.merging(headers) { $1 }.map { "\($0): \($1)\r\n" }.joined()
    let client = try RawHTTPClient(address)
    client.send("POST /anechoic.v1.SessionService/\(method) HTTP/1.1\r\n\(lines)\r\n\(body)")
    return client
  }

  /// Returns the headers of a call with a token.
  func token(_ name: String, _ scopes: String) throws -> [String: String] {
    ["Authorization": "Bearer \(try #require(issuer).token(for: name, scopes))"]
  }
}

/// An answer of the listener.
struct Answer {
  let head: String
  let body: String

  init(_ text: String) throws {
    let end = try #require(text.firstRange(of: "\r\n\r\n"))
    head = String(text[..<end.lowerBound])
    body = String(text[end.upperBound...])
  }

  var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

  func message<Content: Message>(_ type: Content.Type) throws -> Content {
    try Content(jsonString: body)
  }

  /// Expects a status with a reason.
  func expect(_ status: Int, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(self.status == status, "\(head) \(body)", sourceLocation: sourceLocation)
    #expect(body.contains("\"\(reason)\""), "\(body)", sourceLocation: sourceLocation)
  }
}

/// The lines of the audit log.
final class AuditLines: LogHandler {
  private let lines = Mutex<[[String: String]]>([])

  var all: [[String: String]] { lines.withLock { $0 } }

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    let line = (event.metadata ?? [:]).mapValues { "\($0)" }
    lines.withLock { $0.append(line) }
  }
}

extension TokenIssuer {
  /// The credentials of the media client `olga`.
  fileprivate var media: any CredentialsProvider {
    get throws { FixedToken(text: try token(for: "olga", "media")) }
  }
}
