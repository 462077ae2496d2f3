internal import CCurl
internal import Foundation
internal import Synchronization

/// A small document at an HTTPS address, which libcurl gets.
struct HTTPSDocument: Sendable {
  /// The reason why the document could not be got.
  struct FetchError: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  /// The maximum time of a transfer, from the search for the address to the last byte.
  static let longestTime = Duration.seconds(5)

  let address: String
  /// A file of PEM with the authorities that sign the certificate of the host. Nil for those that the
  /// system trusts.
  let authorities: String?
  /// The maximum size in bytes.
  let largestSize: Int
  var timeLimit = HTTPSDocument.longestTime

  /// Gets the document on a thread of its own, because libcurl blocks it. Ends within a second or so
  /// when `cancellation` is set.
  func get(until cancellation: Cancellation) async throws(FetchError) -> [UInt8] {
    let result = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: blockingGet(cancellation)) }
    }
    return try result.get()
  }

  private func blockingGet(_ cancellation: Cancellation) -> Result<[UInt8], FetchError> {
    guard Self.isPrepared else {
      return .failure(FetchError(description: "libcurl cannot be used"))
    }
    var status = 0
    var problem = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    var code = CURLE_OK
    var isTooLarge = false
    let bytes = [UInt8](unsafeUninitializedCapacity: largestSize) { buffer, count in
      var body = anechoic_https_body(
        bytes: buffer.baseAddress, count: 0, most: largestSize, is_too_large: false,
        is_cancelled: { context in
          context.map { Unmanaged<Cancellation>.fromOpaque($0).takeUnretainedValue().isSet } ?? true
        },
        context: Unmanaged.passUnretained(cancellation).toOpaque())
      code = anechoic_https_get(
        address, authorities, "anechoic-server", Int(timeLimit / .milliseconds(1)), &body, &status,
        &problem)
      (count, isTooLarge) = (body.count, body.is_too_large)
    }
    guard !isTooLarge else {
      return .failure(FetchError(description: "the document has more than \(largestSize) bytes"))
    }
    guard code == CURLE_OK else {
      let text = String(
        decoding: problem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let words = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
      return .failure(FetchError(description: words.filter { !$0.isNewline }))
    }
    guard status == 200 else {
      return .failure(FetchError(description: "the answer has the status \(status), not 200"))
    }
    return .success(bytes)
  }

  private static let isPrepared = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// A request that work ends early.
final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
