internal import GRPCTransport
internal import Logging
internal import Tracing

/// The span of a session, from its start to its end, below the span of the call that starts it. The
/// calls that resume the session have spans of their own, with links to this one.
struct SessionSpan: Sendable {
  private static let prefix = "anechoic.session."

  private let span: any Span

  /// Starts the span. Returns nil if the call is not recorded. A span that is never ended, because
  /// the session could not start, reaches no collector.
  init?(under trace: (any CallTrace)?, _ tracer: (any Tracer)?) {
    guard let call = trace as? CallSpan, let tracer else { return nil }
    span = tracer.startSpan("session", context: call.span.context, ofKind: .internal)
  }

  /// Names the session, in the span of its call too.
  func started(_ id: String, _ fields: Logger.Metadata, under trace: (any CallTrace)?) {
    set(fields)
    span.attributes["\(Self.prefix)id"] = id
    (trace as? CallSpan)?.span.attributes["\(Self.prefix)id"] = id
  }

  /// Records that another call goes on with the session.
  func resumed(_ id: String, by trace: (any CallTrace)?) {
    span.addEvent(SpanEvent(name: "resumed"))
    guard let call = trace as? CallSpan else { return }
    call.span.attributes["\(Self.prefix)id"] = id
    call.span.addLink(SpanLink(context: span.context, attributes: [:]))
  }

  func ended(reason: String, _ fields: Logger.Metadata) {
    set(fields)
    span.attributes["\(Self.prefix)end_reason"] = reason
    span.end()
  }

  private func set(_ fields: Logger.Metadata) {
    span.updateAttributes { attributes in
      for (key, value) in fields {
        let text = "\(value)"
        let number = Int64(text).map { SpanAttribute.int($0) } ?? Double(text).map { .double($0) }
        attributes["\(Self.prefix)\(key)"] = number ?? .string(text)
      }
    }
  }
}
