internal import Dispatch
internal import Foundation
internal import Synchronization

/// The signals SIGTERM and SIGINT, as an asynchronous wait. The last signal that the process waits
/// for is followed by one that ends the process at once with 1. `SignalCount` says which signals
/// count.
public final class TerminationSignals {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  /// Takes over the signals. The process may wait for this number of them. A signal that arrives
  /// earlier ends the process; none is lost.
  public init(awaited: Int = 1) {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    let count = Counter(SignalCount(awaited: awaited))
    sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        switch count.value.withLock({ $0.record(at: .now) }) {
        case .report: continuation.yield()
        case .ignore: break
        // `exit` would run handlers that may hang.
        case .exit: _exit(1)
        }
      }
      source.resumeAndWait()
      return source
    }
  }

  /// Returns after the next signal that counts, or when the task is cancelled.
  public func next() async {
    var iterator = signals.makeAsyncIterator()
    await iterator.next()
  }
}

private final class Counter: Sendable {
  let value: Mutex<SignalCount>

  init(_ count: SignalCount) { value = Mutex(count) }
}

/// The rule that decides which signals to end count. Signals within half a second of one that counted
/// do not, because some senders signal a process and then its group.
public struct SignalCount: Sendable {
  public enum Action: Sendable { case report, ignore, exit }

  private static let pause = Duration.milliseconds(500)
  private var left: Int
  private var last: ContinuousClock.Instant?

  /// Creates a rule that reports this number of signals. The next one ends the process.
  public init(awaited: Int) { left = awaited }

  /// Returns what a signal causes.
  public mutating func record(at time: ContinuousClock.Instant) -> Action {
    if let last, time - last <= Self.pause { return .ignore }
    last = time
    guard left > 0 else { return .exit }
    left -= 1
    return .report
  }
}

/// Runs `body` to its end, or until SIGINT or SIGTERM cancels its task.
///
/// Throws a `CommandError` with the text `cancelled` if the task was cancelled.
public func untilSignalled<Result: Sendable>(
  saying cancelled: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let signals = TerminationSignals()
  let work = Task { try await body() }
  let watch = Task {
    await signals.next()
    work.cancel()
  }
  defer { watch.cancel() }
  do {
    return try await work.value
  } catch {
    throw work.isCancelled ? CommandError(cancelled, code: CommandError.interrupted) : error
  }
}

/// The signal SIGHUP, which asks a server to read its settings again.
///
/// The source is only retained, so the object may be used from any thread.
public final class ReloadSignals: @unchecked Sendable {
  /// An element for each signal. Signals that arrive meanwhile count as one.
  public let signals: AsyncStream<Void>
  private let source: any DispatchSourceSignal

  public init() {
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    // Until the source receives the signal, the default action would end the process.
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler { continuation.yield() }
    source.resumeAndWait()
  }
}

extension DispatchSourceSignal {
  /// Begins to receive the signal. When this returns, no signal can get lost.
  fileprivate func resumeAndWait() {
    let isRegistered = DispatchSemaphore(value: 0)
    setRegistrationHandler { isRegistered.signal() }
    resume()
    isRegistered.wait()
  }
}
