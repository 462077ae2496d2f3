internal import Logging

/// The answers to the requests of operators.
///
/// | path | methods | body |
/// |---|---|---|
/// | those of `StatusPages` | GET | |
/// | /log-level | GET, PUT | the level of the log |
/// | /injection | GET, PUT | whether speech may be injected: on or off |
/// | others | | those of `pages` |
public struct AdministrationService: Sendable {
  /// A switch that operators turn.
  public struct Switch: Sendable {
    public let isOn: @Sendable () -> Bool
    public let set: @Sendable (Bool) -> Void

    public init(isOn: @escaping @Sendable () -> Bool, set: @escaping @Sendable (Bool) -> Void) {
      self.isOn = isOn
      self.set = set
    }
  }

  /// A change that an operator made or was refused, for the audit log. `principal` is the name of the
  /// operator, or nil if nobody asked for it.
  public typealias Audit =
    @Sendable (
      _ action: String, _ value: String, _ isDone: Bool, _ principal: String?
    ) -> Void

  /// Decides who may make a change. Answers with what `change` returns for the name of the operator, or
  /// with a refusal.
  public typealias Gate =
    @Sendable (
      _ request: HTTPRequest, _ action: String,
      _ change: @escaping @Sendable (_ principal: String) -> HTTPResponse
    ) -> HTTPAnswer

  private let registry: MetricsRegistry
  private let status: StatusPages
  private let threshold: LogThreshold
  private let injection: Switch?
  private let audit: Audit
  private let gate: Gate?
  private let rule: BrowserRule
  private let pages: Pages

  /// Further paths. Returns nil for a path that does not exist.
  public typealias Pages = @Sendable (HTTPRequest) -> HTTPAnswer?

  /// Creates the service. `version` is a JSON object. Without `injection` its path does not exist.
  /// `isLoopback` tells whether only programs of this machine reach the listener. Without a `gate`,
  /// everyone who reaches the listener may make changes.
  public init(
    registry: MetricsRegistry, version: String, threshold: LogThreshold, injection: Switch?,
    isLoopback: Bool, gate: Gate? = nil, readiness: @escaping @Sendable () -> Readiness,
    pages: @escaping Pages = { _ in nil }, audit: @escaping Audit
  ) {
    self.registry = registry
    status = StatusPages(registry: registry, version: version, readiness: readiness)
    self.threshold = threshold
    self.injection = injection
    self.gate = gate
    rule = BrowserRule(isLoopback ? .thisMachine : .any)
    self.pages = pages
    self.audit = audit
  }

  /// Returns the answer to a request.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer {
    ownAnswer(to: request) ?? pages(request) ?? .refusal(.notFound)
  }

  /// Counts an answer of the listener, which may be its own.
  public func count(_ status: HTTPStatus) {
    registry.counter(.operatorRequests, "\(status.rawValue)").add()
  }

  /// Returns the answer to a request for a path of this service, or nil for other paths.
  private func ownAnswer(to request: HTTPRequest) -> HTTPAnswer? {
    switch request.path {
    case "/log-level": logLevel(request)
    case "/injection": injection.map { injection(request, $0) }
    default: status.answer(request).map(HTTPAnswer.complete)
    }
  }

  private func logLevel(_ request: HTTPRequest) -> HTTPAnswer {
    readOrChange(request, "set log level", { [threshold] in threshold.level.rawValue }) {
      [threshold] text in
      guard let level = Logger.Level(rawValue: text) else {
        let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        return "\"\(text.prefix(20))\" is not a level; use one of \(names)"
      }
      threshold.level = level
      return nil
    }
  }

  private func injection(_ request: HTTPRequest, _ injection: Switch) -> HTTPAnswer {
    readOrChange(request, "switch injection", { injection.isOn() ? "on" : "off" }) { text in
      guard ["on", "off"].contains(text) else {
        return "\"\(text.prefix(20))\" is not a state; use on or off"
      }
      injection.set(text == "on")
      return nil
    }
  }

  /// Answers with a value, or changes it. `change` returns the problem with a new value, or nil.
  private func readOrChange(
    _ request: HTTPRequest, _ action: String, _ value: @escaping @Sendable () -> String,
    _ change: @escaping @Sendable (String) -> String?
  ) -> HTTPAnswer {
    switch request.method {
    case "GET", "HEAD": return .complete(HTTPResponse(value() + "\n"))
    case "PUT":
      guard rule.allows(request) else {
        audit(action, "", false, nil)
        return .complete(
          HTTPResponse("changes from web pages are refused\n", status: .forbidden))
      }
      let text = String(decoding: request.body, as: UTF8.self).filter { !$0.isWhitespace }
      let changed: @Sendable (String?) -> HTTPResponse = { [audit] principal in
        if let problem = change(text) {
          return HTTPResponse(problem.filter { !$0.isNewline } + "\n", status: .badRequest)
        }
        audit(action, text, true, principal)
        return HTTPResponse(value() + "\n")
      }
      return gate?(request, action) { changed($0) } ?? .complete(changed(nil))
    default:
      return .complete(
        HTTPResponse(
          "use GET or PUT\n", status: .methodNotAllowed, allowed: ["GET", "HEAD", "PUT"]))
    }
  }
}
