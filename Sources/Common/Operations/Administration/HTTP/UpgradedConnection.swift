public import LinuxSystem
internal import Synchronization

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
