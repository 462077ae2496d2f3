public import Foundation

/// An HTTPS server of Python that publishes the files of a folder, such as the keys of a `TokenIssuer`.
///
/// `/large` has 300,000 bytes, `/moved` redirects to /keys.json, and `/slow` answers after 20 s.
public final class KeyServer: @unchecked Sendable {
  struct Failure: Error {}

  /// The host and the port.
  public let host: String
  private let folder: URL
  private let process = Process()

  /// Starts the server with a certificate, by its name in `certificates`, and a port, 0 for a free one.
  public init(
    _ folder: URL, _ certificates: Certificates, certificate: String = "server", port: Int = 0
  ) async throws {
    self.folder = folder
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c", Self.script, certificates.path("\(certificate).pem"),
      certificates.path("\(certificate).key"), "\(port)",
    ]
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(port.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failure()
    }
    host = "127.0.0.1:\(port)"
  }

  deinit { stop() }

  /// Returns the address of a file.
  public func address(_ file: String = "keys.json") -> String { "https://\(host)/\(file)" }

  /// The number of requests so far, also of servers before in the same folder.
  public var requests: Int {
    let log = try? Data(contentsOf: folder.appendingPathComponent("requests"))
    return log?.count(where: { $0 == UInt8(ascii: "\n") }) ?? 0
  }

  /// Ends the server. Returns when its port is free.
  public func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static let script = """
    import http.server, ssl, sys, time
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            with open("requests", "a") as log:
                log.write(self.path + "\\n")
            if self.path == "/slow":
                time.sleep(20)
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "/keys.json")
                self.end_headers()
            elif self.path == "/large":
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b" " * 300000)
            else:
                super().do_GET()
    http.server.ThreadingHTTPServer.allow_reuse_address = True
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[3])), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """
}
