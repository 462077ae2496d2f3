internal import CGRPC

/// What the C server's callbacks find their methods by.
final class Methods {
  let methods: [ServerMethod]

  init(_ methods: [ServerMethod]) { self.methods = methods }
}

/// A call and the code behind it, kept by the C call until it has ended.
private final class RunningCall {
  let call: ServerCall
  let handler: any ServerCallHandler

  init(call: ServerCall, handler: any ServerCallHandler) {
    self.call = call
    self.handler = handler
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
      let method = Unmanaged<Methods>.fromOpaque(context).takeUnretainedValue().methods[index]
      let serverCall = ServerCall(call, method: method.method)
      let running = RunningCall(call: serverCall, handler: method.start(serverCall))
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
    })
}
