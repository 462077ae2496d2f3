internal import Dispatch
internal import Foundation
internal import Synchronization

/// The signals SIGTERM and SIGINT, as an asynchronous wait. A second signal ends the process at
/// once. Signals within half a second of the first one do not count, because some senders signal a
/// process and then its group.
public final class TerminationSignals {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  public init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    let first = FirstSignal()
    sources = [SIGTERM, SIGINT].map { number in
      // The default action would end the process before the source gets the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // `exit` would run handlers that may hang.
        if first.wasLongAgo { _exit(1) }
        continuation.yield()
      }
      source.resume()
      return source
    }
  }

  /// Returns after the first signal.
  public func first() async {
    var iterator = signals.makeAsyncIterator()
    await iterator.next()
  }
}

/// The time of the first signal.
private final class FirstSignal: Sendable {
  private let time = Mutex<ContinuousClock.Instant?>(nil)

  /// Whether the first signal came more than half a second ago. Records the time of the first
  /// signal.
  var wasLongAgo: Bool {
    time.withLock { time in
      guard let first = time else {
        time = .now
        return false
      }
      return .now - first > .milliseconds(500)
    }
  }
}

/// Runs `body` to its end, or until SIGINT or SIGTERM cancels its task.
///
/// Throws a `CommandFailure` with the text `cancelled` if the task was cancelled.
public func untilSignalled<Result: Sendable>(
  saying cancelled: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let signals = TerminationSignals()
  let work = Task { try await body() }
  let watch = Task {
    await signals.first()
    work.cancel()
  }
  defer { watch.cancel() }
  do {
    return try await work.value
  } catch {
    throw work.isCancelled ? CommandFailure(cancelled, code: CommandFailure.interrupted) : error
  }
}
