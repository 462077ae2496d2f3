internal import Dispatch
internal import Foundation
internal import Synchronization

/// SIGTERM and SIGINT as something to wait for. The second one ends the process at once, whatever
/// hangs.
public final class TerminationSignals {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  public init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    let count = SignalCount()
    sources = [SIGTERM, SIGINT].map { number in
      // Without this the signal would end the process before the source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // No handlers of `exit`: they may wait for what hangs.
        if count.next() > 1 { _exit(1) }
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

private final class SignalCount: Sendable {
  private let count = Atomic<Int>(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
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
