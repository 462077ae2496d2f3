internal import CGRPC
internal import Foundation
internal import Synchronization

/// A connection to a server that ended before its TLS handshake had.
///
/// libgrpc has no event for this, only a line of its log, so the reason is read from that line. The line
/// does not have the client's address.
public struct HandshakeFailure: Sendable, Equatable {
  public enum Reason: String, Sendable, CaseIterable {
    /// The client has shown no certificate, and has to.
    case noCertificate = "no_certificate"
    /// The client's certificate has expired, or no trusted authority has signed it.
    case certificateRefused = "certificate_refused"
    /// The client does not accept the server's certificate, or the server's TLS, and says so.
    case refusedByClient = "refused_by_client"
    case notTLS = "not_tls"
    /// The client speaks TLS, but does not offer HTTP/2.
    case noHTTP2 = "no_http2"
    /// The client has no version of TLS, or no cipher, that the server has.
    case versionOrCipher = "version_or_cipher"
    /// The client has closed the connection without a reason. Load balancers that only look whether
    /// the port is open do this, and clients that do not trust the server's certificate.
    case closed
    case timeout
    case other
  }

  public let reason: Reason
  /// The description by libgrpc, without the places in its source.
  public let problem: String

  /// Reads libgrpc's description of a failure.
  init(_ line: String) {
    reason = Self.words.first { line.contains($0.text) }?.reason ?? .other
    let end = line.range(of: " {")?.lowerBound ?? line.endIndex
    let text = line[..<end]
    let known = ["UNKNOWN:", "INTERNAL:"].first { text.hasPrefix($0) }
    problem = String(text.dropFirst(known?.count ?? 0).prefix(200))
  }

  package init(reason: Reason, problem: String) {
    self.reason = reason
    self.problem = problem
  }

  /// Reads the words of OpenSSL about a handshake of HTTP/1.1.
  package init(openSSL words: String) {
    let failure = HandshakeFailure(words)
    // A client that offers nothing but HTTP/2 lacks another protocol here.
    reason = failure.reason == .noHTTP2 ? .other : failure.reason
    problem = failure.problem
  }

  private static let words: [(text: String, reason: Reason)] = [
    ("peer did not return a certificate", .noCertificate),
    ("certificate verify failed", .certificateRefused),
    ("tlsv1 alert", .refusedByClient), ("sslv3 alert", .refusedByClient),
    ("tlsv13 alert", .refusedByClient),
    ("http request", .notTLS), ("wrong version number", .notTLS), ("https proxy request", .notTLS),
    ("missing selected ALPN", .noHTTP2), ("no application protocol", .noHTTP2),
    ("unsupported protocol", .versionOrCipher), ("no shared cipher", .versionOrCipher),
    ("no suitable", .versionOrCipher),
    ("Handshake timed out", .timeout), ("Handshaker shutdown", .timeout),
    ("Socket closed", .closed), ("Connection reset", .closed), ("SSL_ERROR_SYSCALL", .closed),
  ]

  /// Calls `observe`, on threads of libgrpc, for each handshake of a server of this process that
  /// fails from now on. A second call replaces the first. libgrpc writes no log any more, so nothing
  /// happens if the variable GRPC_VERBOSITY asks for that log.
  public static func observe(_ observe: @escaping @Sendable (HandshakeFailure) -> Void) {
    guard !isLogWanted else { return }
    observer.withLock { $0 = observe }
    cgrpc_observe_failed_handshakes { problem in
      guard let problem else { return }
      HandshakeFailure.observer.withLock { $0 }?(HandshakeFailure(String(cString: problem)))
    }
  }

  private static let observer = Mutex<(@Sendable (HandshakeFailure) -> Void)?>(nil)

  private static var isLogWanted: Bool {
    guard let verbosity = getenv("GRPC_VERBOSITY").map({ String(cString: $0) }) else {
      return false
    }
    return !["", "NONE"].contains(verbosity.uppercased())
  }
}
