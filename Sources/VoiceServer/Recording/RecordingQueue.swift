internal import GRPCTransport
internal import Synchronization

/// The bytes of a recording on their way from a session's thread to the call of who records it.
final class RecordingQueue: Sendable {
  enum Next {
    case bytes([UInt8])
    case notYet
    /// The recording is whole.
    case end
    case lost(Status)
  }

  /// In bytes: who is further behind loses the recording, and the session never notices.
  static let capacity = 64 << 20
  /// In bytes: a client may not take larger messages.
  private static let largestBlock = 1 << 20

  fileprivate enum End { case whole, lost(Status) }

  fileprivate struct State {
    var blocks: [[UInt8]] = []
    var byteCount = 0
    /// Nil while more may come.
    var end: End?
  }

  let capacity: Int
  private let state = Mutex(State())
  private let listener: @Sendable () -> Void

  /// `listener` is called, on any thread, when there is something next.
  init(capacity: Int = RecordingQueue.capacity, _ listener: @escaping @Sendable () -> Void) {
    self.capacity = capacity
    self.listener = listener
  }

  /// Whether anybody still reads it.
  var isWanted: Bool { state.withLock { $0.end == nil } }

  /// Adds bytes. Returns whether anybody still wants them.
  func append(_ bytes: [UInt8]) -> Bool {
    let isWanted = state.withLock { state in
      guard state.end == nil else { return false }
      guard state.byteCount + bytes.count <= capacity else {
        state.lose(.recordingBacklog)
        return false
      }
      state.append(bytes, largestBlock: Self.largestBlock)
      return true
    }
    listener()
    return isWanted
  }

  /// Nothing follows.
  func finish() {
    state.withLock { $0.end = $0.end ?? .whole }
    listener()
  }

  /// What comes is wanted no more; who still reads is told why.
  func lose(_ status: Status) {
    state.withLock { $0.lose(status) }
    listener()
  }

  func next() -> Next {
    state.withLock { state in
      if case .lost(let status) = state.end { return .lost(status) }
      if !state.blocks.isEmpty {
        let block = state.blocks.removeFirst()
        state.byteCount -= block.count
        return .bytes(block)
      }
      return state.end == nil ? .notYet : .end
    }
  }
}

extension RecordingQueue.State {
  fileprivate mutating func append(_ bytes: [UInt8], largestBlock: Int) {
    byteCount += bytes.count
    var rest = bytes[...]
    if let last = blocks.indices.last {
      let room = rest.prefix(largestBlock - blocks[last].count)
      blocks[last] += room
      rest = rest.dropFirst(room.count)
    }
    while !rest.isEmpty {
      blocks.append(Array(rest.prefix(largestBlock)))
      rest = rest.dropFirst(largestBlock)
    }
  }

  fileprivate mutating func lose(_ status: Status) {
    guard end == nil else { return }
    end = .lost(status)
    blocks = []
    byteCount = 0
  }
}
