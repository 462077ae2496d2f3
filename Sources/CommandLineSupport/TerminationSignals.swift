internal import Dispatch
internal import Foundation
internal import Synchronization

/// SIGTERM and SIGINT as something to wait for. A second one ends the process at once, whatever hangs;
/// what comes with the first, as from who signals a process and then its group, is the same one.
public final class TerminationSignals {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  public init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    let first = FirstSignal()
    sources = [SIGTERM, SIGINT].map { number in
      // Without this the signal would end the process before the source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // No handlers of `exit`: they may wait for what hangs.
        if first.wasLongAgo { _exit(1) }
        continuation.yield()
      }
      source.resume()
      return source
    }
  }

  /// Returns at the first signal.
  public func first() async {
    var iterator = signals.makeAsyncIterator()
    await iterator.next()
  }
}

/// When the first signal came.
private final class FirstSignal: Sendable {
  private let time = Mutex<ContinuousClock.Instant?>(nil)

  /// False for the first, which this notes, and for half a second after it.
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
/// Throws a `CommandFailure` that says `cancelled` where that was so.
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
