internal import GRPCTransport
internal import Operations

/// An answer of server-sent events. The last one has the type `end` and the status of the call.
actor EventStream {
  private(set) var hasBegun = false
  private let exchange: HTTPExchange

  init(_ exchange: HTTPExchange) { self.exchange = exchange }

  /// Sends a line of JSON. Returns when the client has taken it.
  func send(_ json: [UInt8]) async throws { try await write("data: ", json) }

  func end(_ status: Status) async throws { try await write("event: end\ndata: ", status.json) }

  private func write(_ prefix: String, _ json: [UInt8]) async throws {
    let event = Array(prefix.utf8) + json + Array("\n\n".utf8)
    guard !hasBegun else { return try await exchange.write(event) }
    hasBegun = true
    try await exchange.begin(HTTPResponse(event, contentType: "text/event-stream"))
  }
}
