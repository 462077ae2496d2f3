internal import Foundation
internal import GRPCTransport
internal import Tracing

/// Spans as a request of OTLP/HTTP in JSON: ExportTraceServiceRequest of
/// https://opentelemetry.io/docs/specs/otlp, with ids in hexadecimal digits.
public struct SpanDocument {
  /// The program that the spans come from.
  public struct Service: Sendable {
    public let name: String
    public let version: String
    /// The instance, such as the host and the process.
    public let instance: String

    public init(name: String, version: String, instance: String) {
      (self.name, self.version, self.instance) = (name, version, instance)
    }
  }

  let json: [UInt8]

  init(_ spans: [FinishedSpan], of service: Service) {
    let resource: SpanAttributes = [
      "service.name": .string(service.name), "service.version": .string(service.version),
      "service.instance.id": .string(service.instance),
    ]
    let document: [String: Any] = [
      "resourceSpans": [
        [
          "resource": ["attributes": Self.list(resource)],
          "scopeSpans": [
            [
              "scope": ["name": "anechoic", "version": service.version],
              "spans": spans.map(Self.object),
            ]
          ],
        ]
      ]
    ]
    let data = try? JSONSerialization.data(withJSONObject: document, options: .sortedKeys)
    json = data.map { Array($0) } ?? []
  }

  private static func object(_ span: FinishedSpan) -> [String: Any] {
    var object: [String: Any] = [
      "traceId": span.trace.description, "spanId": TraceParent.digits(span.span),
      "name": text(span.name), "kind": number(of: span.kind),
      "startTimeUnixNano": "\(span.start)", "endTimeUnixNano": "\(span.end)",
      "attributes": list(span.attributes),
    ]
    if let parent = span.parent { object["parentSpanId"] = TraceParent.digits(parent) }
    if !span.events.isEmpty {
      object["events"] = span.events.map { event in
        [
          "name": text(event.name), "timeUnixNano": "\(event.nanosecondsSinceEpoch)",
          "attributes": list(event.attributes),
        ] as [String: Any]
      }
    }
    if !span.links.isEmpty {
      object["links"] = span.links.map { link in
        ["traceId": link.trace.description, "spanId": TraceParent.digits(link.span ?? 0)]
      }
    }
    if let status = span.status {
      var fields: [String: Any] = ["code": status.code == .error ? 2 : 1]
      if let message = status.message { fields["message"] = text(message) }
      object["status"] = fields
    }
    return object
  }

  private static func number(of kind: SpanKind) -> Int {
    switch kind {
    case .internal: 1
    case .server: 2
    case .client: 3
    case .producer: 4
    case .consumer: 5
    }
  }

  private static func list(_ attributes: SpanAttributes) -> [[String: Any]] {
    var list: [[String: Any]] = []
    attributes.forEach { key, value in
      guard list.count < FinishedSpan.most else { return }
      list.append(["key": key, "value": object(value)])
    }
    return list.sorted { "\($0["key"] ?? "")" < "\($1["key"] ?? "")" }
  }

  private static func object(_ attribute: SpanAttribute) -> [String: Any] {
    switch attribute {
    case .int32(let value): ["intValue": "\(value)"]
    case .int64(let value): ["intValue": "\(value)"]
    case .double(let value) where value.isFinite: ["doubleValue": value]
    case .bool(let value): ["boolValue": value]
    case .string(let value): ["stringValue": text(value)]
    case .stringArray(let values):
      ["arrayValue": ["values": values.prefix(FinishedSpan.most).map { ["stringValue": text($0)] }]]
    default: ["stringValue": text("\(attribute)")]
    }
  }

  private static func text(_ text: String) -> String {
    String(text.prefix(FinishedSpan.longestText))
  }
}
