internal import CDBus
internal import Glibc
internal import Synchronization

/// The calls and answers on their way to the thread of a connection.
final class BusQueue: Sendable {
  typealias Answer = Result<[BusValue], BusError>

  enum Letter: Sendable {
    case call(BusCall, deadline: ContinuousClock.Instant, CheckedContinuation<Answer, Never>)
    case answer(serial: UInt32, to: String, Answer)
  }

  /// The maximum number of letters that wait for the thread.
  private static let most = 64

  private struct State {
    var letters: [Letter] = []
    var isClosed = false
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// Becomes readable when the thread has to look.
  let wakeUp: Int32

  /// Creates a queue with a descriptor of eventfd. Throws if there is none, because too many files are open.
  init(_ wakeUp: Int32 = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))) throws(BusError) {
    guard wakeUp >= 0 else {
      throw BusError(.disconnected, "too many files are open to wait for the bus")
    }
    self.wakeUp = wakeUp
  }

  deinit { Glibc.close(wakeUp) }

  /// Adds a letter. Returns the reason if the letter cannot be sent.
  func add(_ letter: Letter) -> BusError? {
    let problem: BusError? = state.withLock { state in
      if state.isClosed || state.hasEnded { return .lost }
      guard state.letters.count < Self.most else {
        return BusError(.invalid, "too many calls wait for the bus")
      }
      state.letters.append(letter)
      return nil
    }
    wake()
    return problem
  }

  /// Asks the thread to end.
  func close() {
    state.withLock { $0.isClosed = true }
    wake()
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Returns the letters that wait, and removes them. Call this on the thread of the connection.
  func take() -> [Letter] {
    var count: UInt64 = 0
    _ = read(wakeUp, &count, 8)
    return state.withLock { state in
      defer { state.letters = [] }
      return state.letters
    }
  }

  /// Refuses further letters, and those that wait.
  func end() {
    let letters = state.withLock { state in
      state.hasEnded = true
      defer { state.letters = [] }
      return state.letters
    }
    for case .call(_, _, let continuation) in letters {
      continuation.resume(returning: .failure(.lost))
    }
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }
}
