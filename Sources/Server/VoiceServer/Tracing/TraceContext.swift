internal import GRPCTransport
internal import Tracing

/// The place of a span in its trace, which the spans below it need.
struct TraceContext: Sendable {
  let trace: TraceID
  /// The span, or nil for a trace that begins with the next span.
  let span: UInt64?
  let isSampled: Bool

  /// The context as a parent, or nil if there is none.
  var parent: TraceParent? {
    span.map { TraceParent(trace: trace, span: $0, isSampled: isSampled) }
  }
}

private enum TraceContextKey: ServiceContextKey {
  typealias Value = TraceContext
}

extension ServiceContext {
  var trace: TraceContext? {
    get { self[TraceContextKey.self] }
    set { self[TraceContextKey.self] = newValue }
  }
}
