internal import GRPCTransport
internal import Tracing

/// A span that has ended, as it waits for the collector.
struct FinishedSpan: Sendable {
  /// The maximum number of attributes, and of events and links each. Further ones are dropped.
  static let most = 32
  /// The maximum length of a text in characters. The rest is cut off.
  static let longestText = 256

  let trace: TraceID
  let span: UInt64
  let parent: UInt64?
  var name: String
  let kind: SpanKind
  /// In nanoseconds since 1970.
  let start: UInt64
  var end: UInt64 = 0
  var attributes: SpanAttributes = [:]
  var events: [SpanEvent] = []
  var links: [TraceContext] = []
  var status: SpanStatus?
}

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
