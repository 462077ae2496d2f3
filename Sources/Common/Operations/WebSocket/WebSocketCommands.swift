internal import Synchronization

/// The requests of other threads to the thread of a `WebSocketService`.
final class WebSocketCommands: Sendable {
  /// Connections that begin, and commands for connections.
  struct Batch {
    var connections: [WebSocketConnection] = []
    var commands: [(id: UInt64, command: WebSocket.Command)] = []
  }

  private struct State: @unchecked Sendable {
    var batch = Batch()
    var isStopped = false
  }

  let waker: LoopWaker
  private let state = Mutex(State())

  init(_ waker: LoopWaker) { self.waker = waker }

  func add(_ command: WebSocket.Command, for id: UInt64) {
    let isFirst = state.withLock { state in
      guard !state.isStopped else { return false }
      state.batch.commands.append((id, command))
      return state.batch.commands.count == 1
    }
    if isFirst { waker.wake() }
  }

  /// Passes a connection to the thread. Returns false once the thread has stopped.
  func add(_ connection: sending WebSocketConnection) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isStopped else { return false }
      state.batch.connections.append(connection)
      return true
    }
    if isOpen { waker.wake() }
    return isOpen
  }

  /// Returns what has been asked since the last call. For the thread.
  func take() -> Batch {
    state.withLock { state in
      defer { state.batch = Batch() }
      return state.batch
    }
  }

  /// Accepts nothing more. For the thread.
  func stop() -> Batch {
    state.withLock { state in
      state.isStopped = true
      defer { state.batch = Batch() }
      return state.batch
    }
  }
}
