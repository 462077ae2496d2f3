internal import LinuxSystem

/// A connection that was accepted, with TLS or without. No function waits.
struct SecureSocket: ~Copyable {
  private var socket: ConnectedSocket
  private var tls: TLSStream?

  /// Takes over a descriptor that does not block. With an identity, the connection begins with the handshake
  /// of TLS.
  init(_ descriptor: Int32, _ identity: TLSIdentity?) throws(TLSError) {
    socket = ConnectedSocket(descriptor)
    if let identity { tls = try TLSStream.accepting(identity) }
  }

  var descriptor: Int32 { socket.descriptor }

  /// Whether the connection can carry bytes of the owner: there is no TLS, or its handshake is complete.
  var isEstablished: Bool {
    switch tls {
    case .some(let tls): tls.isEstablished
    case .none: true
    }
  }

  /// The number of bytes that wait to be sent.
  var waitingBytes: Int { socket.waitingBytes }

  /// Appends the bytes that have arrived to `bytes`, decrypted. Returns false once the other side has closed
  /// the connection, or the connection is lost.
  mutating func receive(into bytes: inout [UInt8]) throws(TLSError) -> Bool {
    try socket.receive(into: &bytes, through: &tls) && tls?.isClosed != true
  }

  /// Sends bytes after those that wait. The loss of a connection shows when receiving.
  mutating func send(_ bytes: [UInt8]) { try? socket.send(bytes, through: &tls) }

  /// Sends bytes that wait, as many as the connection takes.
  mutating func flush() { socket.flush() }

  /// Announces the end of the bytes that were sent, if the connection has TLS.
  mutating func endSending() {
    tls?.close()
    socket.send(tls?.popOutgoing() ?? [])
  }
}
