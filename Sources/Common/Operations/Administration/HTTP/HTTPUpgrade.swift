public import LinuxSystem
internal import Synchronization

/// A change of a connection to another protocol, after the answer 101.
public struct HTTPUpgrade: Sendable {
  /// The headers of the answer. Nil leaves the answer to the new owner of the connection.
  public var headers: [String: String]?
  /// Takes over the connection. Runs on the listener's thread and must not wait.
  public var adopt: @Sendable (UpgradedConnection) -> Void

  public init(
    headers: [String: String]?, adopt: @escaping @Sendable (UpgradedConnection) -> Void
  ) {
    self.headers = headers
    self.adopt = adopt
  }

  var bytes: [UInt8] { headers.map { Self.answer($0) } ?? [] }

  /// Returns the answer 101 with headers.
  package static func answer(_ headers: [String: String]) -> [UInt8] {
    let status = HTTPStatus.switchingProtocols
    var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
    return Array((head + "\r\n").utf8)
  }
}

/// A connection that leaves the HTTP listener for another protocol. The receiver closes the descriptor.
public final class UpgradedConnection: Sendable {
  /// The descriptor, which does not block.
  public let descriptor: Int32
  /// The bytes that followed the request, decrypted.
  public let rest: [UInt8]
  private let tls: Mutex<TLSStream?>

  public init(_ descriptor: Int32, rest: [UInt8], _ tls: consuming TLSStream? = nil) {
    self.descriptor = descriptor
    self.rest = rest
    self.tls = Mutex(tls)
  }

  /// Returns the encryption of the connection, once, or nil if there is none.
  public func takeEncryption() -> TLSStream? { tls.withLock { $0.take() } }
}
