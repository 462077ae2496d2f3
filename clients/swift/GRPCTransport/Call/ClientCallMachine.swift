/// The state of one call on a client. A pure state machine: it does no I/O and reads no clock.
///
/// `ClientCall` passes the requests of its program and the reports of the transport to the machine,
/// and carries out the returned actions. The machine guarantees:
///
/// - At most one read and one write are in flight. A second one is refused, and the first one
///   continues.
/// - A half-close waits until the write in flight has completed. No write follows it.
/// - A call ends once. Everything that is reported after that is ignored.
struct ClientCallMachine: ~Copyable {
  /// The next step of the owner of a machine.
  enum Action: Equatable {
    /// Do nothing.
    case ignore
    /// Throw the error to the caller.
    case refuse(Refusal)
    /// Start a read.
    case read
    /// Start a write.
    case write
    /// Tell the server that no message follows.
    case halfClose
    /// Resume the task that sends, and then tell the server that no message follows.
    case deliverAndHalfClose
    /// Cancel the call.
    case cancel
    /// Deliver the event to the task that waits for it.
    case deliver
    /// Keep the message for the next reader.
    case keep
    /// Deliver the oldest kept message to the reader.
    case takeKept
  }

  /// The reason why a request of the program is refused.
  enum Refusal: Equatable {
    case misuse(CallMisuseError)
    case halfClosed
    case ended
  }

  private var hasEnded = false
  private var isReading = false
  private var isWriting = false
  private var wantsHalfClose = false
  private var keptCount = 0

  // MARK: Requests of the program

  /// Returns `.write` or `.refuse`.
  mutating func send() -> Action {
    guard !hasEnded else { return .refuse(.ended) }
    guard !wantsHalfClose else { return .refuse(.halfClosed) }
    guard !isWriting else { return .refuse(.misuse(.secondWriter)) }
    isWriting = true
    return .write
  }

  /// Returns `.halfClose`, or `.ignore` while a write is in flight: `written` then returns
  /// `.deliverAndHalfClose`.
  mutating func halfClose() -> Action {
    guard !hasEnded, !wantsHalfClose else { return .ignore }
    wantsHalfClose = true
    return isWriting ? .ignore : .halfClose
  }

  /// Returns `.takeKept`, `.read` or `.refuse`.
  mutating func receive() -> Action {
    guard !isReading else { return .refuse(.misuse(.secondReader)) }
    guard keptCount == 0 else {
      keptCount -= 1
      return .takeKept
    }
    guard !hasEnded else { return .refuse(.ended) }
    isReading = true
    return .read
  }

  /// Returns `.cancel` or `.ignore`.
  func cancel() -> Action { hasEnded ? .ignore : .cancel }

  // MARK: Reports of the transport

  /// Records a message. It may come without a read just before the end. Returns `.deliver` or
  /// `.keep`.
  mutating func received() -> Action {
    guard !hasEnded else { return .ignore }
    guard isReading else {
      keptCount += 1
      return .keep
    }
    isReading = false
    return .deliver
  }

  /// Records that the transport has taken the write, or that the write has failed. After a failed
  /// write, the status follows and answers the task that sends. Returns `.deliver`,
  /// `.deliverAndHalfClose` or `.ignore`.
  mutating func written(_ isWritten: Bool) -> Action {
    guard !hasEnded, isWriting, isWritten else { return .ignore }
    isWriting = false
    return wantsHalfClose ? .deliverAndHalfClose : .deliver
  }

  /// Records the end of the call. Returns `.deliver` once, for all tasks that wait.
  mutating func ended() -> Action {
    guard !hasEnded else { return .ignore }
    hasEnded = true
    isReading = false
    isWriting = false
    return .deliver
  }
}

/// A use of a call that its rules forbid. The call itself continues as if it had not been tried.
public enum CallMisuseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A task tried to send a message while another message was being sent.
  case secondWriter
  /// A task tried to receive a message while another task was waiting for one.
  case secondReader

  public var description: String {
    switch self {
    case .secondWriter: "another message of this call is being sent; wait until that has returned"
    case .secondReader: "another task waits for a message of this call; use one reader for a call"
    }
  }
}
