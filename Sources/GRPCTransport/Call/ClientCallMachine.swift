/// The state of one call on a client. A pure state machine: it does no I/O and reads no clock.
///
/// `ClientCall` tells the machine what its program wants and what the transport reports, and does
/// what the returned action says. The machine keeps these promises:
///
/// - At most one read and one write are in flight. A second one is refused, and the first one is
///   unharmed.
/// - A half-close waits until the write in flight has completed. No write follows it.
/// - A call ends once. Whatever is reported after that is ignored.
struct ClientCallMachine: ~Copyable {
  /// The next step of the owner of a machine.
  enum Action: Equatable {
    /// Do nothing.
    case ignore
    /// Throw the error at the caller.
    case refuse(Refusal)
    /// Start a read.
    case read
    /// Start a write.
    case write
    /// Say to the server that no message follows.
    case halfClose
    /// Tell the task that sends, and then say to the server that no message follows.
    case deliverAndHalfClose
    /// Cancel the call.
    case cancel
    /// Hand the event to the task that waits for it.
    case deliver
    /// Keep the message for the next reader.
    case keep
    /// Hand the oldest message that was kept to the reader.
    case takeKept
  }

  /// Why a wish is refused.
  enum Refusal: Equatable {
    case misuse(CallMisuse)
    case halfClosed
    case ended
  }

  private var hasEnded = false
  private var isReading = false
  private var isWriting = false
  private var wantsHalfClose = false
  private var keptCount = 0

  // MARK: Wishes of the program

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

  /// Notes a message, which may come unasked just before the end. Returns `.deliver` or `.keep`.
  mutating func received() -> Action {
    guard !hasEnded else { return .ignore }
    guard isReading else {
      keptCount += 1
      return .keep
    }
    isReading = false
    return .deliver
  }

  /// Notes that the write has been handed to the transport, or has failed. A write that failed is
  /// answered with the status, which is on its way. Returns `.deliver`, `.deliverAndHalfClose` or
  /// `.ignore`.
  mutating func written(_ isWritten: Bool) -> Action {
    guard !hasEnded, isWriting, isWritten else { return .ignore }
    isWriting = false
    return wantsHalfClose ? .deliverAndHalfClose : .deliver
  }

  /// Notes the end of the call. Returns `.deliver` once: to whoever waits for anything.
  mutating func ended() -> Action {
    guard !hasEnded else { return .ignore }
    hasEnded = true
    isReading = false
    isWriting = false
    return .deliver
  }
}
