/// The messages of a server's call to its client. They are sent one after another in the order of
/// `send`, and the status after the last one. For use on the call's thread only.
///
/// `Limit` bounds the messages that wait for a slow client. The call's write deadline ends a call
/// whose client does not read at all.
public final class OutgoingMessages {
  /// The maximum number and size of the messages that wait behind the one in flight. One more
  /// message is an overflow.
  public struct Limit: Sendable, Equatable {
    public var messages: Int
    public var bytes: Int

    public init(messages: Int, bytes: Int) {
      self.messages = messages
      self.bytes = bytes
    }
  }

  private enum State {
    case open
    /// The status follows the last message. The closure runs just before the status is sent.
    case closing(Status, () -> Void)
    case over
  }

  private let call: ServerCall
  private let queue: MessageQueue
  private var state = State.open
  private let overflowed: () -> Void

  /// Creates a queue. `overflowed` runs soon after a `send` that exceeded the limit, but never
  /// during `send`. It has to end the call. Until then nothing more is sent.
  public init(_ call: ServerCall, limit: Limit, overflowed: @escaping () -> Void) {
    self.call = call
    queue = MessageQueue(limit: limit)
    self.overflowed = overflowed
  }

  /// The number of messages that wait behind the one in flight.
  public var waiting: Int { queue.count }

  /// The number of messages that wait and may be dropped.
  public var waitingDroppable: Int { queue.droppableCount }

  /// Whether half of the limit is used, so that the handler should produce no more messages.
  public var isHalfFull: Bool { queue.isHalfFull }

  /// Sends a message of `size` bytes, which `write` fills in, after all waiting messages. Runs per
  /// frame: allocates nothing once the queue has grown to its full size.
  public func send(
    size: Int, isDroppable: Bool = false, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    if case .over = state { return }
    guard queue.push(size: size, isDroppable: isDroppable, write) else { return overflow() }
    sendNext()
  }

  /// Drops the oldest message that may be dropped.
  public func dropOldest() { queue.dropOldest() }

  /// Ends the call after all waiting messages have been sent. `willFinish` runs just before. Only
  /// the first call counts.
  public func finish(_ status: Status, willFinish: @escaping () -> Void = {}) {
    guard case .open = state else { return }
    state = .closing(status, willFinish)
    sendNext()
  }

  /// Drops all waiting messages, and sends nothing more.
  public func stop() {
    state = .over
    queue.removeAll()
  }

  /// Sends the next message. Call this in `ServerCallHandler.writeCompleted()`.
  public func writeCompleted() { sendNext() }

  private func sendNext() {
    guard !call.isWriting else { return }
    if case .over = state { return }
    // The call does not refuse the message, because no write is in flight.
    guard !queue.pop({ try? call.write($0) }) else { return }
    guard case .closing(let status, let willFinish) = state else { return }
    stop()
    willFinish()
    call.finish(status)
  }

  private func overflow() {
    stop()
    _ = call.schedule(after: .zero) { [weak self] in self?.overflowed() }
  }
}
