internal import Dispatch
internal import Foundation

/// SIGTERM and SIGINT as something to wait for. The second one ends the process at once.
final class TerminationSignals {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    sources = [SIGTERM, SIGINT].map { number in
      // Without this the signal would end the process before the source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
  }

  /// Returns at the first signal.
  func first() async {
    var iterator = signals.makeAsyncIterator()
    await iterator.next()
    Task { [signals] in
      for await _ in signals { exit(1) }
    }
  }
}
