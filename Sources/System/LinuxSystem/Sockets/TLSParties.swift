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

/// The certificate chain and the key that a server shows on its TLS connections. Uses OpenSSL.
///
/// Connections have TLS 1.2 or later, speak HTTP/1.1 if the client asks for a protocol (ALPN), and are
/// neither resumed nor negotiated again.
public final class TLSIdentity: @unchecked Sendable {
  let context: OpaquePointer

  /// Creates an identity from PEM. The chain starts with the certificate of the server. Throws if one of
  /// both cannot be used, if the key is encrypted, or if it belongs to another certificate.
  public init(certificateChain: [UInt8], key: [UInt8]) throws(TLSError) {
    ERR_clear_error()
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw .newest() }
    self.context = context
    guard anechoic_require_tls12(context) == 1, anechoic_serve_http1(context) == 1,
      anechoic_use_identity(
        context, certificateChain, certificateChain.count, key, key.count) == 1
    else { throw .newest() }
  }

  deinit { SSL_CTX_free(context) }
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
