import Operations
import Testing

/// The text of the metrics, and the counting behind it.
struct ExpositionTests {
  private let registry = MetricsRegistry()

  @Test func aCounterHasHelpTypeAndValue() {
    registry.counter(.framesProcessed).add(3)
    #expect(
      Exposition.prometheus.text(of: registry) == """
        # HELP anechoic_frames_processed_total The frames of 10 ms that were processed.
        # TYPE anechoic_frames_processed_total counter
        anechoic_frames_processed_total 3

        """)
  }

  @Test func openMetricsNamesTheFamilyWithoutTheSuffixAndEnds() {
    registry.counter(.framesProcessed).add()
    let text = Exposition.openMetrics.text(of: registry)
    #expect(text.contains("# TYPE anechoic_frames_processed counter\n"))
    #expect(text.contains("\nanechoic_frames_processed_total 1\n"))
    #expect(text.hasSuffix("# EOF\n"))
  }

  @Test func aHistogramCountsAValueOnABoundAsBelowIt() {
    let histogram = registry.histogram(.frameProcessing, step: 1e-9)
    histogram.record(25_000)
    histogram.record(25_001, times: 2)
    histogram.record(1_000_000_000)
    let text = Exposition.prometheus.text(of: registry)
    #expect(text.contains("anechoic_frame_processing_seconds_bucket{le=\"2.5e-05\"} 1\n"))
    #expect(text.contains("anechoic_frame_processing_seconds_bucket{le=\"5e-05\"} 3\n"))
    #expect(text.contains("anechoic_frame_processing_seconds_bucket{le=\"0.01\"} 3\n"))
    #expect(text.contains("anechoic_frame_processing_seconds_bucket{le=\"+Inf\"} 4\n"))
    #expect(text.contains("anechoic_frame_processing_seconds_count 4\n"))
    #expect(text.contains("anechoic_frame_processing_seconds_sum 1.000075002\n"))
  }

  @Test func aLabelIsEscaped() {
    registry.counter(.sessionsRefused, "a\"b\\c\nd").add()
    #expect(
      Exposition.prometheus.text(of: registry)
        .contains("anechoic_sessions_refused_total{reason=\"a\\\"b\\\\c\\nd\"} 1\n"))
  }

  @Test func callsThatNeverHappenedAreLeftOut() {
    let calls = CallMetrics(registry, type: "unary", service: "a.B", method: "C")
    _ = CallMetrics(registry, type: "unary", service: "a.B", method: "D")
    let before = Exposition.prometheus.text(of: registry)
    #expect(!before.contains("{"))
    #expect(before.contains("# TYPE grpc_server_handled_total counter\n"))
    calls.started()
    calls.handled(code: 0, after: .milliseconds(1))
    let after = Exposition.prometheus.text(of: registry)
    #expect(after.contains("grpc_method=\"C\",grpc_code=\"OK\"} 1\n"))
    #expect(!after.contains("Canceled") && !after.contains("grpc_method=\"D\""))
  }

  @Test func theSameSeriesIsTheSameCounter() {
    registry.counter(.sessionsEnded, "idle").add()
    registry.counter(.sessionsEnded, "idle").add()
    #expect(registry.counter(.sessionsEnded, "idle").value == 2)
    #expect(registry.counter(.sessionsEnded, "deleted").value == 0)
  }

  @Test(arguments: [
    (nil, Exposition.prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
    (
      "application/openmetrics-text; version=1.0.0; charset=utf-8,text/plain;version=0.0.4;q=0.5",
      .openMetrics
    ),
    ("application/openmetrics-text;version=0.0.1,text/plain;q=0.5", .prometheus),
    ("text/plain, application/openmetrics-text", .openMetrics),
    ("application/openmetrics-text;q=0", .prometheus), (";;,,;", .prometheus),
  ])
  func theFormatIsTheOneThatTheClientAccepts(accept: String?, expected: Exposition) {
    #expect(Exposition(accept: accept) == expected)
  }

  @Test func countsOfManyThreadsAddUp() async {
    let metrics = ServerMetrics(registry)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10_000 {
            metrics.framesProcessed.add()
            metrics.frameProcessing.record(100)
          }
        }
      }
    }
    #expect(metrics.framesProcessed.value == 80_000)
    #expect(metrics.frameProcessing.snapshot.count == 80_000)
    #expect(metrics.frameProcessing.sumInSteps == 8_000_000)
  }

  @Test func everyMetricIsDeclaredOnceAndFollowsTheConventions() {
    let all = MetricDeclaration.server + MetricDeclaration.edge
    #expect(Set(all.map(\.name)).count == all.count)
    for metric in all {
      #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
      #expect((metric.kind == .histogram) == !metric.bounds.isEmpty, "\(metric.name)")
      #expect(metric.bounds == metric.bounds.sorted(), "\(metric.name)")
      #expect(metric.help.hasSuffix("."), "\(metric.name)")
      #expect(!metric.labels.map(\.name).contains("session"), "\(metric.name)")
    }
  }
}
