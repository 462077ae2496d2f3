import GRPCTransport
import Synchronization
import TestTime

/// A server for one test, and the journal of its scripted handlers.
struct TestServer: Sendable {
  let server: Server
  let journal: Journal

  var address: String { server.addresses[0] }

  func channel(_ options: ConnectionOptions = ConnectionOptions()) -> Channel {
    Channel(target: address, options: options)
  }

  /// Returns channels with a connection each. libgrpc lets channels share a connection unless their
  /// options differ. A test that cancels many calls uses several connections, because the server
  /// closes one whose client cancels more than 100 calls that it has just started.
  func connections(_ count: Int) -> [Channel] {
    (0..<count).map { index in
      var options = ConnectionOptions()
      options.keepaliveTime = .seconds(3600 + index)
      return channel(options)
    }
  }

  /// Returns a call of the server's method, on a channel of its own.
  func call(metadata: Metadata = Metadata(), timeout: Duration? = nil) -> ClientCall {
    channel().call(.test, metadata: metadata, timeout: timeout)
  }
}

extension Method {
  static let test = Method(service: "anechoic.test.Service", name: "Test")
  static let other = Method(service: "anechoic.test.Service", name: "Other")
}

extension Server.Options {
  static var loopback: Self { Self(addresses: ["127.0.0.1:0"]) }

  /// Returns options whose time limits follow a clock.
  static func loopback(_ clock: TestClock?) -> Self {
    var options = loopback
    options.clock = clock
    return options
  }
}

/// Runs `body` with a server whose method `.test` follows the script. Shuts the server down
/// afterwards.
func withServer<Result>(
  _ script: ScriptedHandler.Script = .echo, options: Server.Options = .loopback,
  also methods: [ServerMethod] = [], _ body: (TestServer) async throws -> Result
) async throws -> Result {
  let journal = Journal()
  let scripted = ServerMethod(.test) { ScriptedHandler($0, journal, script) }
  return try await withServer([scripted] + methods, options: options, journal: journal, body)
}

/// Runs `body` with a server that has these methods. Shuts the server down afterwards.
func withServer<Result>(
  _ methods: [ServerMethod], options: Server.Options = .loopback, journal: Journal = Journal(),
  _ body: (TestServer) async throws -> Result
) async throws -> Result {
  let server = try Server(options: options, methods: methods)
  let result: Result
  do {
    result = try await body(TestServer(server: server, journal: journal))
  } catch {
    await server.shutdown(grace: .zero)
    throw error
  }
  try await within { await server.shutdown(grace: .zero) }
  return result
}

extension ClientCall {
  /// Sends a message and returns the answer.
  func exchange(_ message: [UInt8]) async throws -> [UInt8]? {
    try await within {
      try await self.send(message)
      return try await self.receive()
    }
  }

  /// Returns all remaining messages. Throws the status of a call that does not end with OK.
  func remainder() async throws -> [[UInt8]] {
    try await within {
      var messages: [[UInt8]] = []
      while let message = try await self.receive() { messages.append(message) }
      return messages
    }
  }

  /// Skips all messages and returns the status of the call.
  func outcome() async throws -> Status {
    do {
      _ = try await remainder()
      return .ok
    } catch let status as Status {
      return status
    }
  }
}

extension [UInt8] {
  init(_ text: String) { self = Array(text.utf8) }
}

extension ConnectionOptions {
  /// Returns options that no other channel has, so that the channel gets a connection of its own.
  static func fresh() -> ConnectionOptions {
    var options = ConnectionOptions()
    let number = freshCount.add(1, ordering: .relaxed).newValue
    options.keepaliveTime = .seconds(3600) + .milliseconds(number)
    return options
  }
}

private let freshCount = Atomic(0)
