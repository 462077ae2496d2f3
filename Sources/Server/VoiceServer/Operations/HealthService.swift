internal import AnechoicAPI
internal import GRPCTransport
internal import Operations
internal import SwiftProtobuf
internal import Synchronization

/// The service grpc.health.v1, on the server's own threads.
///
/// libgrpc++ has an implementation too. It uses the callback interface of libgrpc++, whose hidden
/// threads made each frame of the media calls cost half as much again.
final class HealthService: Sendable {
  /// The maximum number of clients that watch at the same time.
  static let mostWatchers = 1000
  /// The maximum length of a service's name in bytes. An error repeats the name.
  private static let longestName = 200

  private typealias Response = Grpc_Health_V1_HealthCheckResponse

  private struct State {
    var statuses: [String: Response.ServingStatus] = [:]
    var watchers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var lastWatcher: UInt64 = 0
  }

  /// The name that is serving as long as the process answers.
  private static let liveness = "liveness"
  /// The name that is serving while the server takes new sessions.
  private static let readiness = "readiness"

  private let state = Mutex(State())
  private let isStarting: @Sendable () -> Bool
  private let isFull: @Sendable () -> Bool

  /// Creates the service. The named services, and the server as a whole with the name "", are
  /// serving as soon as the server has started. The name `readiness` is not while the server is
  /// full.
  init(
    services: [String], isStarting: @escaping @Sendable () -> Bool = { false },
    isFull: @escaping @Sendable () -> Bool
  ) {
    self.isStarting = isStarting
    self.isFull = isFull
    state.withLock { state in
      for service in services + ["", Self.liveness, Self.readiness] {
        state.statuses[service] = .serving
      }
    }
  }

  /// Whether the server takes new sessions, and why not.
  var readiness: Readiness {
    let isServing = state.withLock { $0.statuses[Self.readiness] } == .serving
    return !isServing ? .stopping : isStarting() ? .starting : isFull() ? .full : .ready
  }

  /// Reports every service as not serving. The process is still alive.
  func stopServing() {
    let watchers = state.withLock { state in
      for service in state.statuses.keys where service != Self.liveness {
        state.statuses[service] = .notServing
      }
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.yield() }
  }

  /// Ends every Watch after its client got the last status.
  func endWatches() {
    for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.finish() }
  }

  var methods: [ServerMethod] {
    [
      .unary(Method(service: RPC.health, name: RPC.check), lane: .background) { request, _ in
        let service = try Self.service(request)
        guard let status = self.status(service) else {
          throw Status(.notFound, "service: \"\(service)\" is not on this server")
        }
        return try Self.response(status)
      },
      .unary(Method(service: RPC.health, name: RPC.list), lane: .background) { _, _ in
        try self.list().serializedBytes()
      },
      .serverStreaming(Method(service: RPC.health, name: RPC.watch), lane: .background) {
        request, _, responses in
        try await self.watch(Self.service(request), responses)
      },
    ]
  }

  private func watch(_ service: String, _ responses: ResponseWriter) async throws {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watcher = state.withLock { state -> UInt64? in
      guard state.watchers.count < Self.mostWatchers else { return nil }
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = continuation
      return state.lastWatcher
    }
    guard let watcher else { throw Status.tooManyWatches }
    defer { state.withLock { _ = $0.watchers.removeValue(forKey: watcher) } }
    continuation.yield()
    // The server reports no event when it has started or becomes full, so the status is checked
    // every second.
    let clock = Task {
      while service == Self.readiness || isStarting(),
        (try? await Task.sleep(for: .seconds(1))) != nil
      {
        continuation.yield()
      }
      // It may have started since the last look.
      continuation.yield()
    }
    defer { clock.cancel() }
    var last: Response.ServingStatus?
    for await _ in changes {
      let status = status(service) ?? .serviceUnknown
      guard status != last else { continue }
      last = status
      try await responses.send(Self.response(status))
    }
  }

  private func status(_ service: String) -> Response.ServingStatus? {
    guard let status = state.withLock({ $0.statuses[service] }) else { return nil }
    let isReady =
      switch service {
      case Self.liveness: true
      case Self.readiness: readiness == .ready
      default: !isStarting()
      }
    return isReady ? status : .notServing
  }

  private func list() -> Grpc_Health_V1_HealthListResponse {
    .with { list in
      for name in state.withLock({ Array($0.statuses.keys) }) {
        list.statuses[name] = .with { $0.status = status(name) ?? .unknown }
      }
    }
  }

  private static func service(_ request: [UInt8]) throws -> String {
    guard let request = try? Grpc_Health_V1_HealthCheckRequest(serializedBytes: request) else {
      throw Status.notA("HealthCheckRequest")
    }
    guard request.service.utf8.count <= longestName else {
      throw Status(InvalidFieldError("service", "must have at most \(longestName) bytes"))
    }
    return request.service
  }

  private static func response(_ status: Response.ServingStatus) throws -> [UInt8] {
    try Response.with { $0.status = status }.serializedBytes()
  }
}
