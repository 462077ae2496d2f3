import Operations
import Synchronization
import TestNetwork
import Testing
import Tracing

@testable import VoiceServer

/// The exporter with a collector that answers, refuses, stalls or is away.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SpanExporterTests {
  private let registry = MetricsRegistry()
  private let reports = Reports()

  private final class Reports: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ report: SpanExporter.Report) { texts.withLock { $0.append("\(report)") } }
  }

  private func exporter(_ endpoint: String) -> SpanExporter {
    SpanExporter(
      OTLPCollector(address: endpoint),
      service: SpanDocument.Service(name: "test", version: "1", instance: "a/1"),
      counts: SpanExporter.Counts(registry)
    ) { [reports] in reports.add($0) }
  }

  private func counted(_ reason: String) -> UInt64 {
    registry.counter(.spansDropped, reason).value
  }

  private var exported: UInt64 { registry.counter(.spansExported).value }

  private func end(_ count: Int, on exporter: SpanExporter) {
    let tracer = ExportingTracer(TraceSampling(ratio: 1), exporter)
    for _ in 0..<count { tracer.startSpan("work", context: .topLevel).end() }
  }

  @Test func aSpanArrivesWithEverything() throws {
    let collector = try SpanCollector()
    let exporter = exporter(collector.endpoint)
    let tracer = ExportingTracer(TraceSampling(ratio: 1), exporter)
    let above = tracer.startSpan("above", context: .topLevel, ofKind: .server)
    let span = tracer.startSpan("below", context: above.context)
    span.attributes["number"] = 5
    span.attributes["text"] = "a \"b\" \u{1}ü"
    span.attributes["long"] = String(repeating: "x", count: 1000)
    span.recordError(CancellationError())
    span.addLink(SpanLink(context: above.context, attributes: [:]))
    span.setStatus(SpanStatus(code: .error, message: "broken"))
    span.end()
    span.end()
    span.attributes["late"] = true
    above.end()
    exporter.flush(atMost: .seconds(10))
    let (got, parent) = (try #require(collector.spans.first), try #require(collector.spans.last))
    #expect(collector.spans.count == 2 && got.name == "below" && parent.name == "above")
    #expect(got.trace == parent.trace && got.parent == parent.id && parent.parent.isEmpty)
    #expect(got.kind == 1 && parent.kind == 2 && got.status == 2 && parent.status == 0)
    #expect(got.attributes["number"] == "5" && got.attributes["text"] == "a \"b\" \u{1}ü")
    #expect(got.attributes["long"]?.count == 256 && got.attributes["late"] == nil)
    #expect(got.events == ["exception"] && got.links == [parent.id])
    #expect(parent.times.contains(got.times.lowerBound) && got.times.lowerBound > 1 << 60)
    #expect(
      got.resource == [
        "service.name": "test", "service.version": "1", "service.instance.id": "a/1",
      ])
    #expect(exported == 2)
    exporter.stop(atMost: .seconds(5))
  }

  @Test func batchesAreBounded() throws {
    let collector = try SpanCollector()
    let exporter = exporter(collector.endpoint)
    end(1200, on: exporter)
    exporter.stop(atMost: .seconds(20))
    #expect(collector.requests.reduce(0, +) == 1200)
    #expect(collector.requests.allSatisfy { $0 <= SpanExporter.largestBatch })
    #expect(exported == 1200 && reports.all.isEmpty)
    end(3, on: exporter)
    #expect(counted("shutdown") == 3)
  }

  @Test func aCollectorThatIsAwayCostsSpansOnly() throws {
    let gone = try SpanCollector()
    gone.stop()
    let exporter = exporter(gone.endpoint)
    end(20_000, on: exporter)
    let kept = UInt64(SpanExporter.mostWaiting + SpanExporter.largestBatch)
    #expect(counted("queue_full") >= 20_000 - kept)
    // Within the pause after the first attempts, one second.
    let back = try SpanCollector(port: gone.port)
    let deadline = ContinuousClock.now + .seconds(20)
    while exported < SpanExporter.mostWaiting, .now < deadline {
      exporter.flush(atMost: .seconds(1))
    }
    #expect(back.spans.count == Int(exported) && exported + counted("queue_full") == 20_000)
    #expect(reports.all.count == 2 && reports.all.last == "working", "\(reports.all)")
    exporter.stop(atMost: .seconds(5))
  }

  @Test func refusedSpansAreNotSentAgain() throws {
    let collector = try SpanCollector(.answering(status: 400))
    let exporter = exporter(collector.endpoint)
    end(10, on: exporter)
    exporter.flush(atMost: .seconds(10))
    #expect(counted("refused") == 10 && exported == 0)
    collector.mode = .answering(status: 200)
    end(4, on: exporter)
    exporter.flush(atMost: .seconds(10))
    #expect(collector.requests == [4] && reports.all.count == 2)
    exporter.stop(atMost: .seconds(5))
  }

  @Test func aCollectorThatIsBusyGetsTheSpansLater() throws {
    let collector = try SpanCollector(.answering(status: 503))
    let exporter = exporter(collector.endpoint)
    end(7, on: exporter)
    exporter.flush(atMost: .milliseconds(500))
    #expect(collector.requests.isEmpty && counted("refused") == 0)
    collector.mode = .answering(status: 200)
    exporter.flush(atMost: .seconds(10))
    #expect(collector.requests == [7] && exported == 7)
    exporter.stop(atMost: .seconds(5))
  }

  @Test func aStalledCollectorDoesNotHoldUpTheEnd() throws {
    let collector = try SpanCollector(.stalled)
    let exporter = exporter(collector.endpoint)
    end(1000, on: exporter)
    let start = ContinuousClock.now
    exporter.stop(atMost: .seconds(1))
    #expect(.now - start < .seconds(3))
    #expect(exported == 0)
  }
}
