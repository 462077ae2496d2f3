internal import CGRPC
internal import Synchronization

/// The messages of a client's call that nobody has received yet, and the tasks that wait. The C
/// call keeps this object until it has ended.
///
/// No continuation is resumed under the lock.
final class ClientCallEvents: Sendable {
  typealias Receiver = CheckedContinuation<[UInt8]?, any Error>
  typealias Sender = CheckedContinuation<Void, any Error>

  /// Sendable is unchecked for the pointer to the C call, which may be used from any thread.
  private struct State: ~Copyable, @unchecked Sendable {
    var machine = ClientCallMachine()
    /// Nil before the start and after the end.
    var call: OpaquePointer?
    var initialMetadata: Metadata?
    var trailers = Metadata()
    /// Nil until the call has ended.
    var status: Status?
    var kept: [[UInt8]] = []
    var receiver: Receiver?
    var sender: Sender?
  }

  private let state = Mutex(State())

  /// Starts the C call. Its first event waits for the lock, so that no event comes before the
  /// pointer is set.
  func start(_ start: (_ context: UnsafeMutableRawPointer) -> OpaquePointer) {
    state.withLock { $0.call = start(Unmanaged.passRetained(self).toOpaque()) }
  }

  var initialMetadata: Metadata? { state.withLock { $0.initialMetadata } }

  var trailers: Metadata { state.withLock { $0.trailers } }

  // MARK: Requests of the program

  func send(_ message: [UInt8], _ sender: Sender) {
    let refusal = state.withLock { state -> (any Error)? in
      switch state.machine.send() {
      case .write:
        state.sender = sender
        _ = message.withUnsafeBytes { cgrpc_client_call_write(state.call, $0.c) }
        return nil
      case .refuse(.misuse(let misuse)): return misuse
      case .refuse(.halfClosed):
        return Status(.failedPrecondition, "a message after the half-close")
      default: return state.status?.asRefusal
      }
    }
    if let refusal { sender.resume(throwing: refusal) }
  }

  func halfClose() {
    state.withLock { state in
      if case .halfClose = state.machine.halfClose() { cgrpc_client_call_half_close(state.call) }
    }
  }

  func receive(_ receiver: Receiver) {
    let answer = state.withLock { state -> Result<[UInt8]?, any Error>? in
      switch state.machine.receive() {
      case .read:
        state.receiver = receiver
        cgrpc_client_call_read(state.call)
        return nil
      case .takeKept: return .success(state.kept.removeFirst())
      case .refuse(.misuse(let misuse)): return .failure(misuse)
      default: return state.status?.asEnd
      }
    }
    if let answer { receiver.resume(with: answer) }
  }

  func cancel() {
    state.withLock { state in
      if case .cancel = state.machine.cancel() { cgrpc_client_call_cancel(state.call) }
    }
  }

  // MARK: Reports of the C call

  func began(_ metadata: Metadata) {
    state.withLock { $0.initialMetadata = metadata }
  }

  func received(_ message: [UInt8]) {
    let receiver = state.withLock { state -> Receiver? in
      switch state.machine.received() {
      case .deliver: return state.receiver.take()
      case .keep: state.kept.append(message)
      default: break
      }
      return nil
    }
    receiver?.resume(returning: message)
  }

  func writeCompleted(_ isWritten: Bool) {
    let sender = state.withLock { state -> Sender? in
      switch state.machine.written(isWritten) {
      case .deliver: break
      case .deliverAndHalfClose: cgrpc_client_call_half_close(state.call)
      default: return nil
      }
      return state.sender.take()
    }
    sender?.resume()
  }

  func ended(_ status: Status, _ trailers: Metadata) {
    let (receiver, sender) = state.withLock { state -> (Receiver?, Sender?) in
      guard case .deliver = state.machine.ended() else { return (nil, nil) }
      state.call = nil
      state.status = status
      state.trailers = trailers
      return (state.receiver.take(), state.sender.take())
    }
    receiver?.resume(with: status.asEnd)
    sender?.resume(throwing: status.asRefusal)
  }
}

extension Status {
  /// The answer to `receive` on a call that ended with this status.
  fileprivate var asEnd: Result<[UInt8]?, any Error> {
    code == .ok ? .success(nil) : .failure(self)
  }

  /// The answer to `send` on a call that ended with this status.
  fileprivate var asRefusal: Status {
    code == .ok
      ? Status(.failedPrecondition, "the server ended the call before this message") : self
  }
}

private func events(_ context: UnsafeMutableRawPointer?) -> ClientCallEvents {
  // The context is never nil, because Swift created it.
  Unmanaged<ClientCallEvents>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
}

extension cgrpc_client_events {
  /// The callbacks that call `ClientCallEvents`.
  static let swift = cgrpc_client_events(
    initial_metadata: { events($0).began(Metadata($1)) },
    message: { events($0).received(Array(UnsafeRawBufferPointer($1))) },
    write_completed: { events($0).writeCompleted($1) },
    ended: { context, status, trailers in
      guard let context else { return }
      let events = Unmanaged<ClientCallEvents>.fromOpaque(context).takeRetainedValue()
      events.ended(Status(status).inPlainWords, Metadata(trailers))
    })
}
