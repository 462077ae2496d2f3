internal import CCurl
internal import Foundation
internal import Synchronization

/// A collector of OpenTelemetry at an address, which libcurl reaches over HTTP or HTTPS.
public struct OTLPCollector: Sendable {
  /// The maximum time of a request, from the search for the address to the last byte of the answer.
  public static let longestTime = Duration.seconds(10)

  enum Outcome: Equatable {
    case taken
    /// The collector has answered that it will never take these spans.
    case refused(String)
    /// There was no answer, or one that says to try again later.
    case unavailable(String)
  }

  let address: String
  /// A file of PEM with the authorities that sign the certificate of the collector. Nil for those
  /// that the system trusts.
  let authorities: String?
  /// The headers of each request, such as `Authorization: Bearer TOKEN`.
  let headers: [String]

  /// Creates a collector without reaching for it. The address has the path, usually `/v1/traces`.
  public init(address: String, authorities: String? = nil, headers: [String] = []) {
    self.address = address
    self.authorities = authorities
    self.headers = headers
  }

  /// Sends a document of JSON. Blocks its thread. Ends within a second or so once `isOver` returns
  /// true.
  func send(_ document: [UInt8], until isOver: @escaping () -> Bool) -> Outcome {
    guard Self.isPrepared else { return .unavailable("libcurl cannot be used") }
    var problem = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    var status = 0
    let watch = EndWatch(isOver)
    let lines = headers.map { strdup($0) }
    defer { for line in lines { free(line) } }
    let code = withExtendedLifetime(watch) {
      document.withUnsafeBufferPointer { bytes in
        anechoic_http_post(
          address, authorities, "anechoic-server", lines, lines.count, bytes.baseAddress,
          bytes.count,
          Int(Self.longestTime / .milliseconds(1)),
          { context in
            context.map { Unmanaged<EndWatch>.fromOpaque($0).takeUnretainedValue().isOver() }
              ?? true
          }, Unmanaged.passUnretained(watch).toOpaque(), &status, &problem)
      }
    }
    guard code == CURLE_OK else {
      let text = String(
        decoding: problem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let words = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
      return .unavailable(words.filter { !$0.isNewline })
    }
    // The statuses after which OTLP/HTTP tries again.
    return switch status {
    case 200..<300: .taken
    case 429, 502, 503, 504: .unavailable("the answer has the status \(status)")
    default: .refused("the answer has the status \(status)")
    }
  }

  private static let isPrepared = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// The question whether a request is to end, as an object that C passes on.
private final class EndWatch {
  let isOver: () -> Bool

  init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }
}
