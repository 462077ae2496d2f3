import TestCertificates

/// A server of another implementation, in a process of its own. It echoes.
final class PythonServer: Sendable {
  let address: String
  private let process: PythonClient  // killed when this goes

  /// Shows the certificate of this name, or is plaintext without one; asks clients for theirs where
  /// it has an authority for that.
  init(
    _ certificates: Certificates, showing name: String?, clientAuthority: String? = nil
  ) async throws {
    process = try PythonClient(
      address: "",
      """
      from concurrent import futures
      \(certificates.reader)
      class Echo(grpc.GenericRpcHandler):
        def service(self, details):
          return grpc.stream_stream_rpc_method_handler(lambda requests, _: requests)
      name, authority = "\(name ?? "")", "\(clientAuthority ?? "")"
      server = grpc.server(futures.ThreadPoolExecutor(8))
      server.add_generic_rpc_handlers((Echo(),))
      if name:
        credentials = grpc.ssl_server_credentials(
          [(read(name + ".key"), read(name + ".pem"))],
          read(authority + ".pem") if authority else None, bool(authority))
        port = server.add_secure_port("127.0.0.1:0", credentials)
      else:
        port = server.add_insecure_port("127.0.0.1:0")
      server.start()
      say("port", port)
      say("serving")
      server.wait_for_termination()
      """)
    try await process.wait(for: "serving")
    let ports = process.journal.entries.compactMap { entry in
      if case .note(let text) = entry.event, text.hasPrefix("port ") {
        text.dropFirst(5)
      } else {
        nil
      }
    }
    address = "127.0.0.1:\(ports.first ?? "0")"
  }
}
