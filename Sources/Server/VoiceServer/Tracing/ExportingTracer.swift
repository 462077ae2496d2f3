public import GRPCTransport
public import Tracing

/// A tracer whose sampled spans go to a collector. It reads and writes the header `traceparent`
/// (W3C Trace Context, https://www.w3.org/TR/trace-context).
///
/// The trace of a call without this header has the id of the field `correlation`, if the carrier
/// has one, so that the spans of a call are found with the lines of the log about it.
public struct ExportingTracer: Tracer {
  /// The field of a carrier with the id of a trace that begins here: 32 hexadecimal digits.
  public static let correlation = "correlation"

  private let sampling: TraceSampling
  private let exporter: SpanExporter

  public init(_ sampling: TraceSampling, _ exporter: SpanExporter) {
    self.sampling = sampling
    self.exporter = exporter
  }

  public func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> RecordedSpan {
    var context = context()
    let above = context.trace
    let trace = above?.trace ?? .random()
    let isSampled = sampling.records(trace, parent: above?.parent)
    let id = UInt64.random(in: 1 ... .max)
    context.trace = TraceContext(trace: trace, span: id, isSampled: isSampled)
    guard isSampled else { return RecordedSpan(context, nil, exporter) }
    let span = FinishedSpan(
      trace: trace, span: id, parent: above?.span, name: operationName, kind: kind,
      start: instant().nanosecondsSinceEpoch)
    return RecordedSpan(context, span, exporter)
  }

  public func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    if let parent = extractor.extract(key: TraceParent.header, from: carrier)
      .flatMap({ TraceParent($0) })
    {
      context.trace = TraceContext(
        trace: parent.trace, span: parent.span, isSampled: parent.isSampled)
    } else if let trace = extractor.extract(key: Self.correlation, from: carrier)
      .flatMap({ TraceID($0) })
    {
      context.trace = TraceContext(trace: trace, span: nil, isSampled: false)
    }
  }

  public func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let parent = context.trace?.parent else { return }
    injector.inject(parent.description, forKey: TraceParent.header, into: &carrier)
  }

  public func forceFlush() { exporter.flush(atMost: .seconds(1)) }
}

/// The decision whether the spans of a trace are recorded: that of its parent, and for a trace that
/// begins here a share of all.
///
/// Traces are chosen by their id, as TraceIdRatioBased of OpenTelemetry does, so that all servers
/// of a fleet choose the same ones.
public struct TraceSampling: Sendable {
  /// The share of the traces that begin here, from 0 to 1.
  public let ratio: Double
  private let limit: UInt64

  public init(ratio: Double) {
    self.ratio = ratio.isNaN ? 0 : min(max(ratio, 0), 1)
    // The ids are compared by 63 bits, as in the specification.
    limit = UInt64(self.ratio * 0x1p63)
  }

  /// Returns whether a trace is recorded. `parent` has the decision of the caller, or is nil.
  public func records(_ trace: TraceID, parent: TraceParent?) -> Bool {
    if let parent { return parent.isSampled }
    return trace.low >> 1 < limit
  }
}
