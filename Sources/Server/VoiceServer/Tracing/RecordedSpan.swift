internal import GRPCTransport
internal import Synchronization
public import Tracing

/// A span of a trace. If the trace is not sampled, nothing is recorded.
public final class RecordedSpan: Tracing.Span {
  public let context: ServiceContext
  /// Nil once the span has ended, and always if the trace is not sampled.
  private let span: Mutex<FinishedSpan?>
  private let exporter: SpanExporter

  init(_ context: ServiceContext, _ span: FinishedSpan?, _ exporter: SpanExporter) {
    self.context = context
    self.span = Mutex(span)
    self.exporter = exporter
  }

  public var isRecording: Bool { span.withLock { $0 != nil } }

  public var operationName: String {
    get { span.withLock { $0?.name ?? "" } }
    set { change { $0.name = newValue } }
  }

  public var attributes: SpanAttributes {
    get { span.withLock { $0?.attributes ?? [:] } }
    set { change { $0.attributes = newValue } }
  }

  public func setStatus(_ status: SpanStatus) { change { $0.status = status } }

  public func addEvent(_ event: SpanEvent) {
    change { if $0.events.count < FinishedSpan.most { $0.events.append(event) } }
  }

  public func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    var attributes = attributes
    attributes["exception.type"] = "\(type(of: error))"
    attributes["exception.message"] = "\(error)"
    addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
  }

  public func addLink(_ link: SpanLink) {
    guard let linked = link.context.trace, linked.span != nil else { return }
    change { if $0.links.count < FinishedSpan.most { $0.links.append(linked) } }
  }

  /// Ends the span, and gives it to the exporter. Only the first end counts.
  public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    guard var ended = span.withLock({ $0.take() }) else { return }
    ended.end = max(ended.start, instant().nanosecondsSinceEpoch)
    exporter.export(ended)
  }

  private func change(_ body: (inout FinishedSpan) -> Void) {
    span.withLock { span in
      guard var changed = span.take() else { return }
      body(&changed)
      span = changed
    }
  }
}
