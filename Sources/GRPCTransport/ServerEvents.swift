internal import CGRPC

/// What the C server's callbacks find their methods by.
final class Methods {
  let methods: [ServerMethod]
  let openCalls: OpenCalls

  init(_ methods: [ServerMethod], _ limits: ServerLimits) {
    self.methods = methods
    openCalls = OpenCalls(limits)
  }
}

/// A call and the code behind it, kept by the C call until it has ended.
private final class RunningCall {
  let call: ServerCall
  let handler: any ServerCallHandler
  let place: OpenCalls.Place?

  init(call: ServerCall, method: ServerMethod, openCalls: OpenCalls) {
    self.call = call
    place = openCalls.enter(call)
    handler = place == nil ? RefusedCall(call, openCalls.refusal) : method.start(call)
  }
}

/// Calls back from C: Swift made the context, so it is there.
private func running(_ context: UnsafeMutableRawPointer?) -> RunningCall {
  Unmanaged<RunningCall>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
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
    message: { context, message in
      let call = running(context)
      call.place?.hasMessage()
      call.handler.received(UnsafeRawBufferPointer(message))
    },
    half_closed: { context in
      let call = running(context)
      call.place?.hasMessage()
      call.handler.halfClosed()
    },
    write_completed: { running($0).handler.writeCompleted() },
    cancelled: { running($0).handler.cancelled() },
    ended: { context in
      guard let context else { return }
      let running = Unmanaged<RunningCall>.fromOpaque(context).takeRetainedValue()
      running.call.executor.close()
      running.handler.ended()
      running.place?.leave()
    })
}
