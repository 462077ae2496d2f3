internal import CGRPC

/// What the C server's callbacks find their methods by.
final class Methods {
  let methods: [ServerMethod]
  let openCalls: OpenCalls

  init(_ methods: [ServerMethod], callsPerConnection: Int?) {
    self.methods = methods
    openCalls = OpenCalls(most: callsPerConnection)
  }
}

/// A call and the code behind it, kept by the C call until it has ended.
private final class RunningCall {
  let call: ServerCall
  let handler: any ServerCallHandler
  let place: OpenCalls.Place?

  init(call: ServerCall, method: ServerMethod, openCalls: OpenCalls) {
    self.call = call
    place = openCalls.enter(peer: call.peer)
    handler = place == nil ? RefusedCall(call, openCalls.refusal) : method.start(call)
  }
}

/// Calls back from C: Swift made the context, so it is there.
private func handler(_ context: UnsafeMutableRawPointer?) -> any ServerCallHandler {
  Unmanaged<RunningCall>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue().handler
}

extension cgrpc_server_events {
  /// The callbacks that lead to `ServerCallHandler`.
  static let swift = cgrpc_server_events(
    started: { context, call, index in
      guard let context, let call else { return nil }
      let server = Unmanaged<Methods>.fromOpaque(context).takeUnretainedValue()
      let method = server.methods[index]
      let running = RunningCall(
        call: ServerCall(call, method: method.method), method: method, openCalls: server.openCalls)
      return Unmanaged.passRetained(running).toOpaque()
    },
    message: { handler($0).received(UnsafeRawBufferPointer($1)) },
    half_closed: { handler($0).halfClosed() },
    write_completed: { handler($0).writeCompleted() },
    cancelled: { handler($0).cancelled() },
    ended: { context in
      guard let context else { return }
      let running = Unmanaged<RunningCall>.fromOpaque(context).takeRetainedValue()
      running.call.executor.close()
      running.handler.ended()
      running.place?.leave()
    })
}
