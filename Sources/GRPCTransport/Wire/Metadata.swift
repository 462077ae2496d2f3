/// The headers or trailers of a call, in order; a key may come more than once.
///
/// Keys are lower-case. A key that ends in `-bin` carries any bytes, every other one printable
/// ASCII. An entry that breaks this is left out when it is sent.
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

  /// The first value of a key, as text.
  public subscript(key: String) -> String? {
    bytes(of: key).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The first value of a key, as it came.
  public func bytes(of key: String) -> [UInt8]? {
    let key = key.lowercased()
    return entries.first { $0.key == key }?.value
  }
}
