internal import CGRPC

/// The methods and the open calls of a server, where the callbacks of the C server find them.
final class Methods {
  let methods: [ServerMethod]
  let openCalls: OpenCalls

  init(_ methods: [ServerMethod], _ limits: ServerLimits) {
    self.methods = methods
    openCalls = OpenCalls(limits)
  }
}

/// Returns the call that the C call keeps until it has ended.
private func call(_ context: UnsafeMutableRawPointer?) -> ServerCall {
  // Swift made the context, so it is there.
  Unmanaged<ServerCall>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
}

extension cgrpc_server_events {
  /// The callbacks that lead to `ServerCall`.
  static let swift = cgrpc_server_events(
    started: { context, call, index in
      guard let context, let call else { return nil }
      let server = Unmanaged<Methods>.fromOpaque(context).takeUnretainedValue()
      let method = server.methods[index]
      let serverCall = ServerCall(call, method)
      serverCall.start(method.start, among: server.openCalls)
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
