internal import COpenSSL

/// One side of a TLS connection, without its socket: bytes go in and come out.
///
/// The owner sends the bytes of `popOutgoing` before more are received, so that a peer which does not
/// read costs no memory.
public struct TLSStream: ~Copyable, @unchecked Sendable {
  private static let pieceSize = 16 << 10
  /// The bytes that the other side may cause after the handshake, by requests for new keys. Programs
  /// cause some hundred at most.
  private static let mostCaused = 64 << 10

  private let connection: OpaquePointer
  /// The bytes from the other side and those for it. They belong to the connection.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  /// Whether the handshake is complete.
  public private(set) var isEstablished = false
  /// Whether the other side has ended the connection in order.
  public private(set) var isClosed = false
  private var caused = 0

  private init(_ context: OpaquePointer) throws(TLSError) {
    ERR_clear_error()
    guard let connection = SSL_new(context) else { throw .newest() }
    guard let incoming = BIO_new(BIO_s_mem()) else {
      SSL_free(connection)
      throw .newest()
    }
    guard let outgoing = BIO_new(BIO_s_mem()) else {
      BIO_free(incoming)
      SSL_free(connection)
      throw .newest()
    }
    self.connection = connection
    self.incoming = incoming
    self.outgoing = outgoing
    SSL_set_bio(connection, incoming, outgoing)
  }

  /// Begins the handshake of a client, whose first bytes `popOutgoing` returns. The server's certificate
  /// has to be valid for `host`, a name or an address.
  public static func connecting(
    to host: String, _ authorities: TLSAuthorities
  ) throws(TLSError) -> TLSStream {
    var stream = try TLSStream(authorities.context)
    SSL_set_connect_state(stream.connection)
    try stream.verify(host)
    try stream.shakeHands()
    return stream
  }

  /// Begins the handshake of a server, which waits for the bytes of the client.
  public static func accepting(_ identity: TLSIdentity) throws(TLSError) -> TLSStream {
    let stream = try TLSStream(identity.context)
    SSL_set_accept_state(stream.connection)
    return stream
  }

  /// Requires a certificate for a host.
  private func verify(_ host: String) throws(TLSError) {
    // An address is not a name: it is looked for among the addresses of the certificate.
    guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host) != 1 else { return }
    ERR_clear_error()
    guard SSL_set1_host(connection, host) == 1, anechoic_name_host(connection, host) == 1 else {
      throw .newest()
    }
  }

  deinit { SSL_free(connection) }

  /// Takes bytes of the other side. Returns the bytes that they contain, decrypted.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> [UInt8] {
    ERR_clear_error()
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = BIO_write(incoming, start, Int32(clamping: rest.count))
      guard count > 0 else { throw .newest() }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
    }
    if !isEstablished { try shakeHands() }
    guard isEstablished else { return [] }
    let waiting = BIO_ctrl_pending(outgoing)
    let plain = try read()
    caused += BIO_ctrl_pending(outgoing) - waiting
    guard caused <= Self.mostCaused else {
      throw TLSError(description: "TLS: the other side asks for new keys again and again")
    }
    return plain
  }

  /// Encrypts bytes for the other side. `popOutgoing` returns them.
  public mutating func send(_ bytes: [UInt8]) throws(TLSError) {
    guard !bytes.isEmpty else { return }
    ERR_clear_error()
    var written = 0
    guard SSL_write_ex(connection, bytes, bytes.count, &written) == 1, written == bytes.count else {
      throw .newest()
    }
  }

  /// Announces the end to the other side. `popOutgoing` returns the bytes that do.
  public mutating func close() {
    if isEstablished { SSL_shutdown(connection) }
  }

  /// Returns the bytes for the other side so far, encrypted.
  public mutating func popOutgoing() -> [UInt8] {
    let count = BIO_ctrl_pending(outgoing)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = Int(max(0, BIO_read(outgoing, buffer.baseAddress, Int32(clamping: count))))
    }
  }

  private mutating func shakeHands() throws(TLSError) {
    let result = SSL_do_handshake(connection)
    guard result != 1 else { return isEstablished = true }
    guard SSL_get_error(connection, result) == SSL_ERROR_WANT_READ else { throw failure }
  }

  private mutating func read() throws(TLSError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      var count = 0
      let result = withUnsafeTemporaryAllocation(byteCount: Self.pieceSize, alignment: 1) { piece in
        let result = SSL_read_ex(connection, piece.baseAddress, piece.count, &count)
        bytes += piece[..<count]
        return result
      }
      guard result != 1 else { continue }
      switch SSL_get_error(connection, result) {
      case SSL_ERROR_WANT_READ: return bytes
      case SSL_ERROR_ZERO_RETURN:
        isClosed = true
        return bytes
      default: throw failure
      }
    }
  }

  /// The reason why the connection failed: the certificate, or the error of OpenSSL.
  private var failure: TLSError {
    let result = SSL_get_verify_result(connection)
    guard result == X509_V_OK else {
      let words = String(cString: X509_verify_cert_error_string(result))
      return TLSError(description: "the certificate is not accepted: \(words)")
    }
    return .newest()
  }
}
