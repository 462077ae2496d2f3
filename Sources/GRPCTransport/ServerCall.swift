internal import CGRPC

/// What the code behind an RPC is told. Every method is called on the call's own thread, one after
/// another: a handler needs no locks, and must not block.
public protocol ServerCallHandler: AnyObject {
  /// The answer to `ServerCall.read()`. The bytes are lent until this returns.
  func received(_ message: UnsafeRawBufferPointer)
  /// The client has sent its last message. In the place of a message, at most once.
  func halfClosed()
  /// The write has left; the next one may be made.
  func writeCompleted()
  /// The client is gone, its deadline passed, or the server stops. Nothing can be sent any more.
  func cancelled()
  /// The last that is heard of the call, however it went.
  func ended()
}

/// A call as its handler sees it. To be used on the call's own thread only.
public final class ServerCall {
  public let method: Method
  /// For other threads that want to reach the handler.
  public let executor: CallExecutor
  private let call: OpaquePointer

  init(_ call: OpaquePointer, method: Method) {
    self.call = call
    self.method = method
    executor = CallExecutor(queue: cgrpc_server_call_queue(call))
  }

  /// Asks for the next message. One read at a time; unread messages hold the sender back.
  public func read() {
    cgrpc_server_call_read(call)
  }

  /// Sends a message, which is copied. One write at a time.
  public func write(_ message: UnsafeRawBufferPointer) {
    cgrpc_server_call_write(call, message.c)
  }

  /// Ends the call; once, and with no write in flight.
  public func finish(_ status: Status, trailers: Metadata = Metadata()) {
    status.withC { status in
      trailers.withC { cgrpc_server_call_finish(call, status, $0) }
    }
  }

  /// Ends the call at once, without its details and without what was written but has not left:
  /// for a client that does not read. `cancelled()` follows.
  public func abort(_ status: Status) {
    status.withC { cgrpc_server_call_abort(call, $0) }
  }

  /// A header to go out before the first message.
  public func addInitialMetadata(_ key: String, _ value: String) {
    var metadata = Metadata()
    metadata.append(key, value)
    metadata.withC { cgrpc_server_call_add_initial_metadata(call, $0.start[0]) }
  }

  /// The headers that the client sent.
  public var metadata: Metadata {
    var metadata = Metadata()
    withUnsafeMutablePointer(to: &metadata) { metadata in
      cgrpc_server_call_visit_metadata(call, metadata) { context, entry in
        context?.assumingMemoryBound(to: Metadata.self).pointee.append(entry)
      }
    }
    return metadata
  }

  /// The client's address, such as `ipv4:127.0.0.1:40112`.
  public var peer: String {
    var peer = ""
    withUnsafeMutablePointer(to: &peer) { peer in
      cgrpc_server_call_peer(call, peer) { context, text in
        context?.assumingMemoryBound(to: String.self).pointee = String(text)
      }
    }
    return peer
  }

  /// Until the client's deadline; nil where it set none.
  public var timeLeft: Duration? {
    let nanoseconds = cgrpc_server_call_time_left_ns(call)
    return nanoseconds == Int64.max ? nil : .nanoseconds(nanoseconds)
  }

  /// Runs `work` on this thread after a delay, unless the call has ended by then. Nil when the
  /// server is already stopping.
  public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> Timer? {
    Timer(on: cgrpc_server_call_queue(call), after: delay) { [executor] in
      if executor.isOpen { work() }
    }
  }
}
