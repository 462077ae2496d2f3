import Operations
import Testing

@testable import anechoic_bridge

/// The voices in the metrics of a bridge.
struct VoiceMeterTests {
  private let metrics = BridgeMetrics()

  private var unprocessed: Double { metrics.registry.gauge(.bridgeVoicesUnprocessed).value }
  private var lost: UInt64 { metrics.registry.counter(.bridgeVoicesLost).value }
  private var late: UInt64 { metrics.registry.counter(.bridgeLateSound).value }

  @Test func aVoiceCountsOnceItsFirstTryHasFailed() {
    let other = VoiceMeter(metrics)
    #expect(unprocessed == 0)
    other.record(.fallback(reason: "absent"))
    #expect(unprocessed == 1)
    do {
      let voice = VoiceMeter(metrics)
      voice.record(.fallback(reason: "absent"))
      voice.record(.fallback(reason: "still absent"))
      #expect(unprocessed == 2 && lost == 0)
      voice.record(.processing(session: "sessions/a"))
      voice.record(.processing(session: "sessions/b"))
      #expect(unprocessed == 1)
      voice.record(.late(.milliseconds(30)))
      voice.record(.turnStarted)
      #expect(late == 1 && lost == 0)
      voice.record(.fallback(reason: "gone"))
      #expect(unprocessed == 2 && lost == 1)
    }
    #expect(unprocessed == 1)
    other.record(.processing(session: "sessions/c"))
    #expect(unprocessed == 0)
  }

  @Test func aProcessedVoiceEndsWithoutATrace() {
    do { VoiceMeter(metrics).record(.processing(session: "sessions/a")) }
    #expect(unprocessed == 0 && lost == 0)
  }
}
