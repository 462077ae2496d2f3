/// The pages that tell operators about a process, and change nothing.
///
/// | path | body |
/// |---|---|
/// | /metrics | the metrics of the registry |
/// | /livez | whether the process works |
/// | /readyz | whether it takes new sessions or calls |
/// | /routez | the same for proxies that tell a server without room from one that stops |
/// | /version | the build, as JSON |
public struct StatusPages: Sendable {
  private let registry: MetricsRegistry
  private let version: String
  private let readiness: @Sendable () -> Readiness

  /// Creates the pages. `version` is a JSON object.
  public init(
    registry: MetricsRegistry, version: String, readiness: @escaping @Sendable () -> Readiness
  ) {
    self.registry = registry
    self.version = version
    self.readiness = readiness
  }

  /// Returns the response to a request for a page, or nil for other paths.
  public func answer(_ request: HTTPRequest) -> HTTPResponse? {
    switch request.path {
    case "/metrics": read(request) { metrics(request) }
    case "/livez": read(request) { HTTPResponse("ok\n") }
    case "/readyz": read(request) { state(\.status) }
    case "/routez": read(request) { state(\.routingStatus) }
    case "/version":
      read(request) { HTTPResponse(version + "\n", contentType: "application/json") }
    default: nil
    }
  }

  private func state(_ status: KeyPath<Readiness, HTTPStatus>) -> HTTPResponse {
    let readiness = readiness()
    return HTTPResponse(readiness.words + "\n", status: readiness[keyPath: status])
  }

  private func metrics(_ request: HTTPRequest) -> HTTPResponse {
    let format = Exposition(accept: request.headers["accept"])
    return HTTPResponse(format.text(of: registry), contentType: format.contentType)
  }

  private func read(_ request: HTTPRequest, _ body: () -> HTTPResponse) -> HTTPResponse {
    guard ["GET", "HEAD"].contains(request.method) else {
      return HTTPResponse("use GET\n", status: .methodNotAllowed, allowed: ["GET", "HEAD"])
    }
    return body()
  }
}
