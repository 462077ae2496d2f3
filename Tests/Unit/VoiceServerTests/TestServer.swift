import AnechoicAPI
import BundledEngines
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer

/// A server that belongs to one test.
struct TestServer {
  let address: String
  let client: VoiceProcessingClient
  let channel: Channel

  /// The engines of the programs, the default first.
  static let engines = EngineCatalog.bundled

  /// Runs `body` with a server on a port of its own. Stops the server afterwards, even if `body`
  /// throws.
  static func run<Result>(
    threads: Int = 1, _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    var configuration = configuration(threads: threads)
    try configure(&configuration)
    let server = try VoiceProcessingServer(configuration)
    do {
      let result = try await body(TestServer(server))
      await server.stop(grace: .zero)
      return result
    } catch {
      await server.stop(grace: .zero)
      throw error
    }
  }

  /// Returns the configuration of a server on a port of its own.
  static func configuration(threads: Int = 1) -> ServerConfiguration {
    var configuration = ServerConfiguration(
      addresses: ["127.0.0.1:0"], threads: threads, engines: engines)
    // Debug builds and busy machines would refuse sessions that a test needs.
    configuration.limits.frameBudget = 0
    // Most tests are about sessions that end with their connection.
    configuration.limits.resumeWindow = .zero
    return configuration
  }

  /// Creates a server that the test stops.
  init(_ server: VoiceProcessingServer) throws {
    self.init(address: try #require(server.addresses.first))
  }

  /// Creates a server that runs elsewhere.
  init(address: String) {
    self.address = address
    client = VoiceProcessingClient(server: address)
    channel = Channel(target: address)
  }

  /// Returns a plain `Process` call, which ends after the timeout at the latest.
  func call(timeout: Duration = .seconds(20)) -> ClientCall {
    channel.call(Method(service: RPC.voiceProcessing, name: RPC.process), timeout: timeout)
  }

  /// Returns the status of a call, by default a `Process` call, after these messages. The client closes
  /// its side only if `halfClosing` is true.
  func status(
    of call: ClientCall? = nil, after messages: [[UInt8]], halfClosing: Bool = false
  ) async throws -> Status {
    let call = call ?? self.call()
    do {
      for message in messages { try await call.send(message) }
      if halfClosing { call.halfClose() }
    } catch is Status {
      // `receive` throws the same error.
    }
    do {
      while try await call.receive() != nil {}
      return .ok
    } catch let status as Status {
      return status
    }
  }

  func status(
    after requests: [Anechoic_V1_ProcessRequest], halfClosing: Bool = false
  ) async throws -> Status {
    let messages: [[UInt8]] = try requests.map { try $0.serializedBytes() }
    return try await status(after: messages, halfClosing: halfClosing)
  }

  /// Waits until the server counts this many sessions.
  func sessionsActive(become count: UInt32) async throws {
    try await eventually("sessions_active becomes \(count)") {
      try await client.capabilities().sessionsActive == count
    }
  }
}

extension Status {
  /// Returns a detail, decoded as `google.rpc` defines it.
  func detail<Detail: Message>(_ type: Detail.Type) throws -> Detail? {
    try Google_Rpc_Status(serializedBytes: Data(details)).details
      .first { $0.isA(type) }.map { try type.init(unpackingAny: $0) }
  }

  /// Expects this code, and that the message and the details name the field.
  func expect(
    _ code: StatusCode, field: String, reason: String = "INVALID_FIELD",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(self.code == code, "\(self)", sourceLocation: sourceLocation)
    #expect(message.hasPrefix("\(field): "), "\(self)", sourceLocation: sourceLocation)
    let rich = try Google_Rpc_Status(serializedBytes: Data(details))
    #expect(rich.code == code.rawValue && rich.message == message, sourceLocation: sourceLocation)
    let info = try detail(Google_Rpc_ErrorInfo.self)
    #expect(info?.domain == "anechoic", sourceLocation: sourceLocation)
    #expect(info?.reason == reason, sourceLocation: sourceLocation)
    let violation = try detail(Google_Rpc_BadRequest.self)?.fieldViolations.first
    #expect(violation?.field == field, sourceLocation: sourceLocation)
    #expect(violation?.description_p.isEmpty == false, sourceLocation: sourceLocation)
  }
}

/// Calls `body` with the address of a unix socket in a folder of its own.
func withUnixSocket<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("anechoic-test-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body("unix:\(folder.path)/socket")
}
