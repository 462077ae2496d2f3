internal import GRPCTransport
internal import Tracing

/// Makes a span for each call of a method, below the span that the client's header `traceparent`
/// names. A trace that begins here has the id of the call in the log.
struct CallSpans: CallTracer {
  let tracer: any Tracer

  func trace(of call: ServerCall) -> (any CallTrace)? {
    var context = ServiceContext.topLevel
    let fields = TraceFields(metadata: call.metadata, correlation: call.correlation)
    tracer.extract(fields, into: &context, using: TraceFields.Reader())
    let method = call.method
    let span = tracer.startSpan(
      "\(method.service)/\(method.name)", context: context, ofKind: .server)
    guard span.isRecording else { return nil }
    span.updateAttributes { attributes in
      attributes["rpc.system"] = "grpc"
      attributes["rpc.service"] = method.service
      attributes["rpc.method"] = method.name
      attributes["client.address"] = Self.address(of: call.peer)
      attributes["anechoic.correlation"] = call.correlation
    }
    return CallSpan(span)
  }

  /// Returns the address of a client without its family.
  private static func address(of peer: String) -> String {
    let host = PeerAddress.host(of: peer)
    let family = ["ipv4:", "ipv6:"].first { host.hasPrefix($0) }
    return String(host.dropFirst(family?.count ?? 0))
  }
}

/// The fields of a call from which a tracer reads the span above: the headers, and the id of the
/// call in the log as `correlation`.
private struct TraceFields: Sendable {
  let metadata: Metadata
  let correlation: String

  struct Reader: Extractor {
    func extract(key: String, from fields: TraceFields) -> String? {
      key == "correlation" ? fields.correlation : fields.metadata[key]
    }
  }
}

/// The span of one call.
final class CallSpan: CallTrace {
  /// The codes for which the server is to blame.
  private static let faults: Set<StatusCode> = [
    .unknown, .deadlineExceeded, .unimplemented, .internal, .unavailable, .dataLoss,
  ]

  let span: any Span

  init(_ span: any Span) { self.span = span }

  func ended(_ code: StatusCode) {
    span.attributes["rpc.grpc.status_code"] = Int64(code.rawValue)
    if Self.faults.contains(code) { span.setStatus(SpanStatus(code: .error, message: code.name)) }
    span.end()
  }
}
