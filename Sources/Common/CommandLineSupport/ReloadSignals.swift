internal import Dispatch
internal import Foundation

/// The signal SIGHUP, which asks a server to read its settings again.
public final class ReloadSignals {
  /// An element for each signal. Signals that arrive meanwhile count as one.
  public let signals: AsyncStream<Void>
  private let source: any DispatchSourceSignal

  public init() {
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    // The default action would end the process.
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler { continuation.yield() }
    source.resume()
  }
}
