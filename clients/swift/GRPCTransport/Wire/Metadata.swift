/// The headers or trailers of a call, in order. A key may occur more than once.
///
/// Keys are lower-case. The value of a key that ends in `-bin` may contain any bytes. All other
/// values consist of printable ASCII. An entry that breaks these rules is not sent.
public struct Metadata: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public var key: String
    public var value: [UInt8]
  }

  public private(set) var entries: [Entry] = []

  public init() {}

  public mutating func append(_ key: String, _ value: String) {
    append(key, bytes: Array(value.utf8))
  }

  public mutating func append(_ key: String, bytes: [UInt8]) {
    entries.append(Entry(key: key.lowercased(), value: bytes))
  }

  /// Returns the first value of a key as text, or nil if the key does not occur.
  public subscript(key: String) -> String? {
    bytes(of: key).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the first value of a key, or nil if the key does not occur.
  public func bytes(of key: String) -> [UInt8]? {
    let key = key.lowercased()
    return entries.first { $0.key == key }?.value
  }

  /// The size in bytes as HTTP/2 counts it: names and values, and 32 bytes more for each entry.
  var size: Int { entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.count + 32 } }
}
