internal import CGRPC
internal import Synchronization

/// A call that does not come over gRPC. Everything above its transport is that of gRPC: the thread,
/// the interceptor, the limits, the deadlines, the counts and the handler.
///
/// The transport reports with `perform` from any thread. The end comes in one of two ways:
/// `ended()` after the status of `finish` was sent, or `lost()` at any time.
package final class ForeignCall: Sendable {
  /// The reports of a transport, on the call's thread.
  package struct Reports {
    private let call: ServerCall
    private let foreign: ForeignCall

    fileprivate init(_ call: ServerCall, _ foreign: ForeignCall) {
      self.call = call
      self.foreign = foreign
    }

    /// Passes on the message that the call has asked for. The bytes are lent.
    package func received(_ message: UnsafeRawBufferPointer) { call.received(message) }
    /// Records that the client sends no more messages, instead of a message.
    package func halfClosed() { call.halfClosed() }
    /// Records that the write has left.
    package func writeCompleted() { call.writeCompleted() }
    /// Ends the call with a status, because its client broke a rule of the protocol.
    package func fail(_ status: Status) { call.fail(status) }
    /// Records that the status has been sent. Nothing may follow.
    package func ended() { foreign.end(call) }
    /// Ends the call with a status at once, because the server stops.
    fileprivate func stop() {
      call.abort(Status(.unavailable, "the server stops"))
      lost()
    }
    /// Records that the client is gone. Nothing may follow.
    package func lost() {
      call.cancelled()
      foreign.end(call)
    }
  }

  private struct State: @unchecked Sendable {
    /// Nil before the start and after the end. Belongs to the call's thread.
    var call: ServerCall?
    /// The work that came before the start.
    var early: [@Sendable (Reports) -> Void] = []
    var hasEnded = false
  }

  private let method: Int
  private let context: Methods
  private let server: QueuePointer
  private let queue: QueuePointer
  private let state = Mutex(State())

  /// Counts the call. Call this while the server cannot be shut down, and then `start`.
  init(_ method: Int, of context: Methods, on server: OpaquePointer) {
    self.method = method
    self.context = context
    self.server = QueuePointer(queue: server)
    queue = QueuePointer(queue: cgrpc_server_enter(server, method))
    context.foreignCalls.enter(self)
  }

  func start(over transport: any ServerCallTransport & Sendable) {
    _ = Timer(on: queue.queue, after: .zero) { [self] in begin(over: transport) }
  }

  /// Runs `work` on the call's thread, in the order of the calls of this function. Does nothing once
  /// the call has ended. May be called from any thread.
  package func perform(_ work: @escaping @Sendable (Reports) -> Void) {
    // The queue exists until the call has ended.
    state.withLock { current in
      guard !current.hasEnded else { return }
      _ = Timer(on: queue.queue, after: .zero) { [self] in
        let call = state.withLock { state in
          if state.call == nil, !state.hasEnded { state.early.append(work) }
          return state.call
        }
        if let call { work(Reports(call, self)) }
      }
    }
  }

  private func begin(over transport: any ServerCallTransport) {
    let method = context.methods[method]
    let call = ServerCall(transport, on: queue.queue, method, context.threads)
    state.withLock { $0.call = call }
    call.start(method, among: context.openCalls)
    // A client may be gone before its call starts.
    let early = state.withLock { state in
      defer { state.early = [] }
      return state.early
    }
    for work in early {
      guard let call = state.withLock({ $0.call }) else { return }
      work(Reports(call, self))
    }
  }

  private func end(_ call: ServerCall) {
    let isFirst = state.withLock { state in
      defer {
        state.call = nil
        state.hasEnded = true
      }
      return !state.hasEnded
    }
    guard isFirst else { return }
    call.ended()
    context.foreignCalls.leave(self)
    cgrpc_server_leave(server.queue, queue.queue)
  }
}

/// The calls of a server that do not come over gRPC, so that a shutdown can cancel them.
final class ForeignCalls: Sendable {
  private let calls = Mutex<[ObjectIdentifier: ForeignCall]>([:])

  func enter(_ call: ForeignCall) { calls.withLock { $0[ObjectIdentifier(call)] = call } }

  func leave(_ call: ForeignCall) { calls.withLock { $0[ObjectIdentifier(call)] = nil } }

  func cancelAll() {
    for call in calls.withLock({ Array($0.values) }) { call.perform { $0.stop() } }
  }
}
