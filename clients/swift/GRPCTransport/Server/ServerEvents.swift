internal import CGRPC

/// The methods, the open calls and the threads of a server, for the callbacks of the C server.
final class Methods: Sendable {
  let methods: [ServerMethod]
  let openCalls: OpenCalls
  let threads: CallThreads
  let foreignCalls = ForeignCalls()

  init(_ methods: [ServerMethod], _ options: Server.Options) {
    self.methods = methods
    openCalls = OpenCalls(options.limits)
    threads = CallThreads(clock: options.clock)
  }
}

/// Returns the call to which the C call keeps a reference until it has ended.
private func call(_ context: UnsafeMutableRawPointer?) -> ServerCall {
  // The context is never nil, because Swift created it.
  Unmanaged<ServerCall>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
}

extension cgrpc_server_events {
  /// The callbacks that call `ServerCall`.
  static let swift = cgrpc_server_events(
    started: { context, call, index in
      guard let context, let call else { return nil }
      let server = Unmanaged<Methods>.fromOpaque(context).takeUnretainedValue()
      let method = server.methods[index]
      let serverCall = ServerCall(
        LibraryCall(call: call), on: cgrpc_server_call_queue(call), method, server.threads)
      serverCall.start(method, among: server.openCalls)
      return Unmanaged.passRetained(serverCall).toOpaque()
    },
    message: { call($0).received(UnsafeRawBufferPointer($1)) },
    half_closed: { call($0).halfClosed() },
    write_completed: { call($0).writeCompleted() },
    cancelled: { call($0).cancelled() },
    ended: { context in
      guard let context else { return }
      Unmanaged<ServerCall>.fromOpaque(context).takeRetainedValue().ended()
    })
}
