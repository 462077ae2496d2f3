internal import COpenSSL

/// The authorities that verify the servers of TLS connections. Uses OpenSSL.
public final class TLSAuthorities: @unchecked Sendable {
  let context: OpaquePointer

  /// Reads the authorities of a PEM file, or those of the system if `file` is nil. Throws if the file
  /// has none.
  public init(file: String? = nil) throws(TLSError) {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw .newest() }
    self.context = context
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    let isLoaded =
      if let file { SSL_CTX_load_verify_file(context, file) } else {
        SSL_CTX_set_default_verify_paths(context)
      }
    guard anechoic_require_tls12(context) == 1, isLoaded == 1 else { throw .newest() }
  }

  deinit { SSL_CTX_free(context) }
}

/// The client's side of a TLS connection, without its socket: bytes go in and come out. The server's
/// certificate has to be valid for the host.
public struct TLSClient: ~Copyable {
  private static let pieceSize = 16 << 10

  private let connection: OpaquePointer
  /// The bytes from the server and those for it. They belong to the connection.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  /// Whether the handshake is complete.
  public private(set) var isEstablished = false
  /// Whether the server has ended the connection in order.
  public private(set) var isClosed = false

  private init(_ connection: OpaquePointer, _ incoming: OpaquePointer, _ outgoing: OpaquePointer) {
    self.connection = connection
    self.incoming = incoming
    self.outgoing = outgoing
    SSL_set_bio(connection, incoming, outgoing)
    SSL_set_connect_state(connection)
  }

  /// Begins a handshake, whose first bytes `popOutgoing` returns. `host` is a name or an address.
  public static func connecting(
    to host: String, _ authorities: TLSAuthorities
  ) throws(TLSError) -> TLSClient {
    ERR_clear_error()
    guard let connection = SSL_new(authorities.context) else { throw .newest() }
    guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
      SSL_free(connection)
      throw .newest()
    }
    var client = TLSClient(connection, incoming, outgoing)
    try client.verify(host)
    try client.shakeHands()
    return client
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

  /// Takes bytes of the server. Returns the bytes that they contain, decrypted.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> [UInt8] {
    ERR_clear_error()
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = BIO_write(incoming, start, Int32(clamping: rest.count))
      guard count > 0 else { throw .newest() }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
    }
    if !isEstablished { try shakeHands() }
    return isEstablished ? try read() : []
  }

  /// Encrypts bytes for the server. `popOutgoing` returns them.
  public mutating func send(_ bytes: [UInt8]) throws(TLSError) {
    guard !bytes.isEmpty else { return }
    ERR_clear_error()
    var written = 0
    guard SSL_write_ex(connection, bytes, bytes.count, &written) == 1, written == bytes.count else {
      throw .newest()
    }
  }

  /// Announces the end to the server. `popOutgoing` returns the bytes that do.
  public mutating func close() {
    if isEstablished { SSL_shutdown(connection) }
  }

  /// Returns the bytes for the server so far, encrypted.
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

/// The reason why a TLS connection failed.
public struct TLSError: Error, CustomStringConvertible {
  public let description: String

  /// Returns the newest error of OpenSSL on this thread.
  static func newest() -> TLSError {
    let words = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
    return TLSError(description: "TLS: \(words ?? "the connection failed")")
  }
}
