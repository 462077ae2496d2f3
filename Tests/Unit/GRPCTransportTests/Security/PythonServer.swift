import TestCredentials

/// A foreign server in a process of its own, which echoes messages.
final class PythonServer: Sendable {
  let address: String
  private let process: PythonClient  // Killed when this object is released.

  /// Starts a server with the certificate of this name, or with plaintext for nil. If there is a
  /// client authority, the server requires a client certificate.
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
