internal import CGRPC
internal import Synchronization

/// What has come in on a call, and who waits for more. The C call keeps it until it has ended.
final class ClientCallEvents: Sendable {
  typealias Receiver = CheckedContinuation<[UInt8]?, any Error>
  typealias Sender = CheckedContinuation<Void, any Error>

  /// Unchecked for the C call's pointer, which is nil once the call has ended.
  struct State: @unchecked Sendable {
    var call: OpaquePointer?
    var initialMetadata: Metadata?
    var trailers = Metadata()
    var status: Status?
    var unclaimed: [[UInt8]] = []
    var receiver: Receiver?
    var sender: Sender?
    var isHalfClosed = false

    mutating func send(_ message: [UInt8], _ sender: Sender) {
      if let status {
        sender.resume(throwing: status.asRefusal)
      } else if isHalfClosed {
        sender.resume(throwing: Status(.failedPrecondition, "a message after the half-close"))
      } else {
        self.sender = sender
        message.withUnsafeBytes { cgrpc_client_call_write(call, $0.c) }
      }
    }

    mutating func halfClose() {
      guard status == nil, !isHalfClosed else { return }
      isHalfClosed = true
      cgrpc_client_call_half_close(call)
    }

    mutating func receive(_ receiver: Receiver) {
      if !unclaimed.isEmpty {
        receiver.resume(returning: unclaimed.removeFirst())
      } else if let status {
        receiver.resume(ending: status)
      } else {
        self.receiver = receiver
        cgrpc_client_call_read(call)
      }
    }
  }

  let state = Mutex(State())

  func began(_ metadata: Metadata) {
    state.withLock { $0.initialMetadata = metadata }
  }

  func received(_ message: [UInt8]) {
    let receiver = state.withLock { state in
      if state.receiver == nil { state.unclaimed.append(message) }
      return state.receiver.take()
    }
    receiver?.resume(returning: message)
  }

  func writeCompleted(_ isWritten: Bool) {
    // A write that failed is answered with the status, which is on its way.
    guard isWritten else { return }
    state.withLock { $0.sender.take() }?.resume()
  }

  func ended(_ status: Status, _ trailers: Metadata) {
    let (receiver, sender) = state.withLock { state in
      state.call = nil
      state.status = status
      state.trailers = trailers
      return (state.receiver.take(), state.sender.take())
    }
    receiver?.resume(ending: status)
    sender?.resume(throwing: status.asRefusal)
  }
}

extension CheckedContinuation where T == [UInt8]?, E == any Error {
  func resume(ending status: Status) {
    if status.code == .ok {
      resume(returning: nil)
    } else {
      resume(throwing: status)
    }
  }
}

extension Status {
  /// Why a message could not be sent on a call that ended so.
  var asRefusal: Status {
    code == .ok
      ? Status(.failedPrecondition, "the server ended the call before this message") : self
  }
}

private func events(_ context: UnsafeMutableRawPointer?) -> ClientCallEvents {
  Unmanaged<ClientCallEvents>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
}

extension cgrpc_client_events {
  /// The callbacks that lead to `ClientCallEvents`.
  static let swift = cgrpc_client_events(
    initial_metadata: { events($0).began(Metadata($1)) },
    message: { events($0).received(Array(UnsafeRawBufferPointer($1))) },
    write_completed: { events($0).writeCompleted($1) },
    ended: { context, status, trailers in
      guard let context else { return }
      let events = Unmanaged<ClientCallEvents>.fromOpaque(context).takeRetainedValue()
      events.ended(Status(status), Metadata(trailers))
    })
}
