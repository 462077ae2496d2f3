internal import CGRPC
internal import Dispatch
internal import Synchronization

/// A gRPC server with its addresses, its methods, and threads that serve one completion queue each.
///
/// A call stays on one queue, and therefore on one thread, from its first event to its last. A
/// compressed message ends its call with UNIMPLEMENTED before the message is inflated.
public final class Server: Sendable {
  public struct Options: Sendable {
    /// The addresses, each `HOST:PORT`, `[::1]:PORT` or `unix:PATH`. Port 0 asks for a free port.
    public var addresses: [String]
    /// The number of completion queues of the main lane, each with its own thread.
    public var queueCount: Int
    /// Whether each event after a silence may wait for up to 20 ms while other servers of the process
    /// have calls, to spare the processor.
    public var isSpare = false
    public var connection = ConnectionOptions()
    public var limits = ServerLimits()
    public var security = ServerSecurity.plaintext
    /// The clock of the calls, or nil for that of the system.
    package var clock: (any CallClock)?

    public init(addresses: [String], queueCount: Int = 1) {
      self.addresses = addresses
      self.queueCount = queueCount
    }
  }

  /// The addresses that the server listens on, with their actual ports.
  public let addresses: [String]
  private let server: Mutex<ServerPointer?>

  public init(options: Options, methods: [ServerMethod]) throws(ServerError) {
    if let address = options.addresses.first(where: { !ListenAddress.isUsable($0) }) {
      throw .addressUnavailable(address)
    }
    guard Set(methods.map(\.method)).count == methods.count else { throw .notStarted }
    let context = Unmanaged.passRetained(Methods(methods, options))
    var failed = 0
    let server = withCStrings(options.addresses) { addresses in
      withCStrings(methods.map(\.method.path)) { paths in
        let methods = zip(paths, methods).map { path, method in
          cgrpc_method(name: path, is_background: method.lane == .background)
        }
        return methods.withUnsafeBufferPointer { methods in
          options.security.withC { tls in
            var c = cgrpc_server_options(
              addresses: addresses.baseAddress, address_count: addresses.count, tls: tls,
              methods: methods.baseAddress, method_count: methods.count,
              queue_count: UInt32(max(1, options.queueCount)), is_spare: options.isSpare,
              connection: options.connection.c, limits: options.limits.c, events: .swift,
              context: context.toOpaque())
            return cgrpc_server_start(&c, &failed)
          }
        }
      }
    }
    guard let server else {
      context.release()
      throw failed < options.addresses.count
        ? .addressUnavailable(options.addresses[failed]) : .notStarted
    }
    for address in options.addresses {
      if case .unix(let path) = ServerAddress(address) { UnixSocket.openToGroup(path) }
    }
    addresses = options.addresses.enumerated().map { index, address in
      guard address.hasSuffix(":0"), !address.hasPrefix("unix:") else { return address }
      return "\(address.dropLast())\(cgrpc_server_port(server, index))"
    }
    self.server = Mutex(ServerPointer(server: server, context: context))
  }

  deinit {
    precondition(server.withLock { $0 == nil }, "a server must be shut down before it goes")
  }

  /// Uses other certificates for connections that begin from now on. Running connections keep
  /// theirs. Whether clients have to show a certificate does not change. Nothing happens if the
  /// server is plaintext or shut down.
  public func replaceCertificates(_ security: ServerSecurity) {
    server.withLock { pointer in
      guard let pointer else { return }
      security.withC { tls in
        if let tls { cgrpc_server_set_tls(pointer.server, tls) }
      }
    }
  }

  /// Starts a call that does not come over gRPC. `connect` gets the call, which has not started yet,
  /// and returns its transport. Returns false, without calling `connect`, if the server has no such
  /// method or has been shut down. May be called from any thread.
  package func startCall(
    of method: Method, _ connect: (ForeignCall) -> any ServerCallTransport & Sendable
  ) -> Bool {
    server.withLock { pointer in
      guard let pointer else { return false }
      let context = pointer.context.takeUnretainedValue()
      guard let index = context.methods.firstIndex(where: { $0.method == method }) else {
        return false
      }
      let call = ForeignCall(index, of: context, on: pointer.server)
      call.start(over: connect(call))
      return true
    }
  }

  /// Returns when each thread that has served a call has run some work since. Returns at once if the
  /// server has been shut down, and never if it is shut down meanwhile or a thread is stuck, so call
  /// this in a task that nothing waits for.
  public func callThreadsAnswer() async {
    let threads = server.withLock { $0?.context.takeUnretainedValue().threads.all } ?? []
    for thread in threads {
      let (answers, answer) = AsyncStream.makeStream(of: Void.self)
      thread.perform { answer.finish() }
      for await _ in answers {}
    }
  }

  /// Refuses new calls, waits up to `grace` for the running ones, and cancels the rest. Returns
  /// when all calls have ended. A second call returns at once.
  public func shutdown(grace: Duration) async {
    guard let pointer = server.withLock({ $0.take() }) else { return }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let context = pointer.context.takeUnretainedValue()
        context.threads.close()
        DispatchQueue.global().asyncAfter(deadline: .now() + grace / .seconds(1)) {
          [calls = context.foreignCalls] in calls.cancelAll()
        }
        cgrpc_server_shutdown(pointer.server, grace.nanoseconds)
        pointer.context.release()
        continuation.resume()
      }
    }
  }
}

/// The reason why a server did not start.
public enum ServerError: Error, Equatable, CustomStringConvertible {
  /// The address is in use, malformed, or not an address of this machine.
  case addressUnavailable(String)
  case notStarted

  /// The failure in words. The reason is found by trying the address again.
  public var description: String {
    switch self {
    case .addressUnavailable(let address):
      "cannot listen on \(address): \(ListenAddress.problem(at: address) ?? "the address is free now")"
    case .notStarted: "libgrpc could not start the server"
    }
  }
}

/// The C server and the context of its callbacks, which may move between threads.
private struct ServerPointer: @unchecked Sendable {
  let server: OpaquePointer
  let context: Unmanaged<Methods>
}

private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  let copies = strings.map { $0.utf8CString }
  func lend(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
    guard index < copies.count else { return pointers.withUnsafeBufferPointer(body) }
    return copies[index].withUnsafeBufferPointer { lend(index + 1, pointers + [$0.baseAddress]) }
  }
  return lend(0, [])
}
