import Foundation
import Synchronization

/// A collector of OpenTelemetry on 127.0.0.1: an HTTP server that keeps the spans it gets.
public final class SpanCollector: Sendable {
  /// The behaviour of the collector.
  public enum Mode: Sendable, Equatable {
    case answering(status: Int)
    /// Connections are accepted, and requests are never answered.
    case stalled
  }

  /// A span as the collector got it. Attributes are texts, also those that are numbers.
  public struct Span: Sendable {
    public let name: String
    public let trace: String
    public let id: String
    /// Empty for the first span of a trace.
    public let parent: String
    public let kind: Int
    /// In nanoseconds since 1970.
    public let times: ClosedRange<UInt64>
    public let attributes: [String: String]
    public let links: [String]
    public let events: [String]
    /// 2 for an error, 0 if there is none.
    public let status: Int
    /// The attributes of the program that sent the span.
    public let resource: [String: String]
  }

  private struct State {
    var mode = Mode.answering(status: 200)
    var spans: [Span] = []
    var requests: [Int] = []
    var heads: [String] = []
    var isStopped = false
  }

  public let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  /// Starts the server, on a free port unless one is given.
  public init(port: UInt16 = 0, _ mode: Mode = .answering(status: 200)) throws {
    let (listener, port) = try Self.listen(port)
    (self.listener, self.port) = (listener, port)
    state.withLock { $0.mode = mode }
    Thread.detachNewThread { [weak self] in
      // The thread keeps no reference while it waits, so that the collector ends with its owner.
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        guard let self else {
          close(connection)
          return
        }
        serve(connection)
      }
    }
  }

  deinit { stop() }

  /// The address for `tracing.endpoint`.
  public var endpoint: String { "http://127.0.0.1:\(port)/v1/traces" }
  public var spans: [Span] { state.withLock { $0.spans } }
  /// The number of spans of each request.
  public var requests: [Int] { state.withLock { $0.requests } }
  /// The headers of each request.
  public var heads: [String] { state.withLock { $0.heads } }
  public var mode: Mode {
    get { state.withLock { $0.mode } }
    set { state.withLock { $0.mode = newValue } }
  }

  public func stop() {
    guard
      !state.withLock({ state in
        defer { state.isStopped = true }
        return state.isStopped
      })
    else { return }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func listen(_ port: UInt16) throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var (on, size) = (Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(descriptor, name, size) == 0 && Glibc.listen(descriptor, 16) == 0
          && getsockname(descriptor, name, &size) == 0
      }
    }
    guard result else { throw CocoaError(.fileNoSuchFile) }
    return (descriptor, UInt16(bigEndian: name.sin_port))
  }

  /// Takes one request, answers it and closes the connection.
  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let (head, body) = Self.split(bytes), body.count >= Self.length(head) {
        guard case .answering(let status) = mode else { break }
        if status == 200 { keep(head, body) }
        let answer = Array(
          "HTTP/1.1 \(status) -\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}".utf8)
        send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        return
      }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      bytes += buffer[..<count]
    }
    // The client, which waits in vain, closes the connection.
    _ = recv(connection, &buffer, buffer.count, 0)
  }

  private static func split(_ bytes: Data) -> (head: String, body: Data)? {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    return (String(decoding: bytes[..<end.lowerBound], as: UTF8.self), bytes[end.upperBound...])
  }

  private static func length(_ head: String) -> Int {
    let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  private func keep(_ head: String, _ body: Data) {
    typealias Object = [String: Any]
    let document = try? JSONSerialization.jsonObject(with: body) as? Object
    let resources = document?["resourceSpans"] as? [Object] ?? []
    var found: [Span] = []
    for each in resources {
      let resource = Self.attributes((each["resource"] as? Object)?["attributes"])
      for scope in each["scopeSpans"] as? [Object] ?? [] {
        found += (scope["spans"] as? [Object] ?? []).map { Span($0, resource) }
      }
    }
    state.withLock { state in
      state.spans += found
      state.requests.append(found.count)
      state.heads.append(head)
    }
  }

  fileprivate static func attributes(_ list: Any?) -> [String: String] {
    var found: [String: String] = [:]
    for each in list as? [[String: Any]] ?? [] {
      let value = (each["value"] as? [String: Any])?.values.first
      found[each["key"] as? String ?? ""] = value.map { "\($0)" } ?? ""
    }
    return found
  }
}

extension SpanCollector.Span {
  fileprivate init(_ object: [String: Any], _ resource: [String: String]) {
    func text(_ key: String) -> String { object[key] as? String ?? "" }
    func names(_ key: String, _ field: String) -> [String] {
      (object[key] as? [[String: Any]] ?? []).map { $0[field] as? String ?? "" }
    }
    name = text("name")
    trace = text("traceId")
    id = text("spanId")
    parent = text("parentSpanId")
    kind = object["kind"] as? Int ?? 0
    let start = UInt64(text("startTimeUnixNano")) ?? 0
    times = start...max(start, UInt64(text("endTimeUnixNano")) ?? 0)
    attributes = SpanCollector.attributes(object["attributes"])
    links = names("links", "spanId")
    events = names("events", "name")
    status = (object["status"] as? [String: Any])?["code"] as? Int ?? 0
    self.resource = resource
  }
}
