internal import Synchronization

/// The bytes of a recording between the session's thread and the call of the recorder.
public final class RecordingQueue: Sendable {
  /// The reason why a recording ended before it was complete.
  public enum Loss: Sendable {
    /// The recorder fell further behind than the queue's capacity.
    case backlog
    /// The server is draining.
    case draining
    /// The recorder has gone.
    case unwanted
  }

  public enum Next {
    case bytes([UInt8])
    case notYet
    /// The recording is complete.
    case end
    case lost(Loss)
  }

  /// The default capacity in bytes. A recorder that falls further behind loses the recording; the
  /// session is not affected.
  public static let capacity = 64 << 20
  /// The largest block in bytes; clients may refuse larger messages.
  private static let largestBlock = 1 << 20

  fileprivate enum End { case whole, lost(Loss) }

  fileprivate struct State {
    var blocks: [[UInt8]] = []
    var byteCount = 0
    /// Nil while more may come.
    var end: End?
  }

  public let capacity: Int
  private let state = Mutex(State())
  private let listener: @Sendable () -> Void

  /// - Parameter listener: Called on any thread when `next()` has something new.
  public init(capacity: Int = RecordingQueue.capacity, _ listener: @escaping @Sendable () -> Void) {
    self.capacity = capacity
    self.listener = listener
  }

  /// Whether the recording is still read.
  public var isWanted: Bool { state.withLock { $0.end == nil } }

  /// Appends bytes.
  ///
  /// - Returns: Whether the recording is still read.
  func append(_ bytes: [UInt8]) -> Bool {
    let isWanted = state.withLock { state in
      guard state.end == nil else { return false }
      guard state.byteCount + bytes.count <= capacity else {
        state.lose(.backlog)
        return false
      }
      state.append(bytes, largestBlock: Self.largestBlock)
      return true
    }
    listener()
    return isWanted
  }

  /// Marks the recording as complete.
  func finish() {
    state.withLock { $0.end = $0.end ?? .whole }
    listener()
  }

  /// Drops the queued bytes and all that follow. The reader gets the loss from `next()`.
  public func lose(_ loss: Loss) {
    state.withLock { $0.lose(loss) }
    listener()
  }

  /// Returns the next block of bytes, or the state of the recording if none is queued.
  public func next() -> Next {
    state.withLock { state in
      if case .lost(let loss) = state.end { return .lost(loss) }
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

  fileprivate mutating func lose(_ loss: RecordingQueue.Loss) {
    guard end == nil else { return }
    end = .lost(loss)
    blocks = []
    byteCount = 0
  }
}
