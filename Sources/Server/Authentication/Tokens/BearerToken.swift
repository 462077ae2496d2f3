internal import GRPCTransport

/// The token that a call carries in the header `authorization`.
struct BearerToken: Hashable {
  /// The maximum size of a token in bytes. libgrpc limits all headers of a call together to 16 KiB.
  static let largestSize = 8 << 10
  private static let scheme = "bearer "

  let text: String

  /// Throws if the call carries no token, several, or one that is too large.
  init(_ metadata: Metadata) throws(AuthenticationFailure) {
    let values = metadata.entries.filter { $0.key == "authorization" }
    guard let value = values.first?.value else {
      throw .missing("the call has no token; send it in the header authorization: Bearer TOKEN")
    }
    guard values.count == 1 else {
      throw .invalid("the call has \(values.count) authorization headers; only one is allowed")
    }
    guard value.count <= Self.scheme.utf8.count + Self.largestSize else {
      throw .invalid("the token is larger than \(Self.largestSize) bytes")
    }
    let text = String(decoding: value, as: UTF8.self)
    guard text.lowercased().hasPrefix(Self.scheme) else {
      throw .missing("the header authorization must have the form Bearer TOKEN")
    }
    self.text = String(text.dropFirst(Self.scheme.count))
  }
}
