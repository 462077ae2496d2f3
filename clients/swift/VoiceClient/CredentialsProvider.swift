internal import Foundation
public import GRPCTransport
internal import LinuxSystem
internal import Synchronization

/// A source of tokens for a client's calls.
public protocol CredentialsProvider: Sendable {
  /// Returns the token of the next call. Throws the `Status` with which the call fails.
  func token() throws(Status) -> String
}

/// A regular file with a token. The file is read again when it has changed, so that another program can
/// replace a token before it expires.
public final class TokenFile: CredentialsProvider {
  /// The maximum size of the file in bytes, the largest token that a server accepts.
  private static let largestSize = 8 << 10

  private struct Known {
    let token: String
    let version: RegularFile.Version?
  }

  private let path: String
  private let known = Mutex<Known?>(nil)

  /// Creates a source that reads the file with the first call.
  public init(path: String) { self.path = path }

  public func token() throws(Status) -> String {
    let version = RegularFile.Version(of: path)
    if let known = known.withLock({ $0 }), known.version == version { return known.token }
    let token = try read()
    known.withLock { $0 = Known(token: token, version: version) }
    return token
  }

  private func read() throws(Status) -> String {
    let bytes: [UInt8]
    do { bytes = try RegularFile.read(path, atMost: Self.largestSize) } catch {
      throw refusal(error.description)
    }
    let token = String(decoding: bytes, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw refusal("the file must contain one token, without spaces or line breaks inside")
    }
    return token
  }

  private func refusal(_ problem: String) -> Status {
    Status(.unauthenticated, "token file \(path): \(problem)")
  }
}
