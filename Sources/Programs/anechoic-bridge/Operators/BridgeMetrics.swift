internal import LiveVoice
internal import Operations

/// The counters of a bridge.
final class BridgeMetrics: Sendable {
  /// The reason why a call did not start.
  enum Refusal: String, CaseIterable {
    /// The maximum number of calls ran.
    case full
    /// A side could not be reached, or did not follow its protocol.
    case failed
  }

  let registry = MetricsRegistry()
  let started: AtomicCounter
  private let refused: [Refusal: AtomicCounter]
  fileprivate let unprocessed: AtomicGauge
  fileprivate let lost: AtomicCounter
  fileprivate let late: AtomicCounter

  init() {
    started = registry.counter(.bridgeCallsStarted)
    refused = [Refusal: AtomicCounter](
      uniqueKeysWithValues: Refusal.allCases.map { [registry] in
        ($0, registry.counter(.bridgeCallsRefused, $0.rawValue))
      })
    unprocessed = registry.gauge(.bridgeVoicesUnprocessed)
    lost = registry.counter(.bridgeVoicesLost)
    late = registry.counter(.bridgeLateSound)
    ProcessMetrics.add(to: registry)
  }

  func refused(_ reason: Refusal) { refused[reason]?.add() }
}

/// A voice in the metrics of its bridge.
final class VoiceMeter {
  private let metrics: BridgeMetrics
  /// Nil until a server processes the voice, or the first try has failed.
  private var isProcessed: Bool?

  init(_ metrics: BridgeMetrics) { self.metrics = metrics }

  deinit { if isProcessed == false { metrics.unprocessed.add(-1) } }

  func record(_ change: VoiceChange) {
    switch change {
    case .processing:
      if isProcessed == false { metrics.unprocessed.add(-1) }
      isProcessed = true
    case .fallback:
      if isProcessed == true { metrics.lost.add() }
      if isProcessed != false { metrics.unprocessed.add(1) }
      isProcessed = false
    case .late: metrics.late.add()
    case .turnStarted, .turnInterrupts, .turnPauses, .turnContinues, .turnEnded, .turnWithdrawn:
      break
    }
  }
}
