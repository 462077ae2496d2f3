public import AnechoicAPI

/// The rule that selects the port in use, without I/O. The present ports go in, the route comes
/// out.
public struct RouteSelector: Sendable {
  public typealias Port = EdgeConfiguration.Port

  /// A change of the route, or of the reason why there is none.
  public struct Change: Sendable, Equatable {
    public var reason: Anechoic_V1_RouteChanged.Reason
    public var previous: Port?
    public var current: Port?
    /// Whether there is no route because another machine has the port.
    public var isTaken = false
  }

  private let ports: [Port]
  private var policy: EdgeConfiguration.Routes.Policy
  private var present: Set<String> = []
  /// The ports that the policy must not select, because the arbiter gives them to another machine.
  private var withheld: Set<String> = []
  /// Ids of ports, with the last used one at the end.
  private var used: [String] = []
  /// The port that somebody selected, for as long as it is present.
  private var chosen: String?
  private var hasSelected = false
  /// Whether the last change said that another machine has the port.
  private var wasTaken = false
  public private(set) var current: Port?

  public init(_ routes: EdgeConfiguration.Routes) {
    ports = routes.ports
    policy = routes.policy
  }

  /// Records the present ports, and those of them that the policy must not select.
  ///
  /// - Returns: The change of the route, or nil.
  public mutating func update(
    present now: Set<String>, withheld later: Set<String> = []
  ) -> Change? {
    // A port that the arbiter grants counts as new.
    let new = now.subtracting(present).union(withheld.subtracting(later).intersection(now))
    let isSwitch = later != withheld && current.map { now.contains($0.id) } ?? false
    present = now
    withheld = later
    if hasSelected {
      used = used.filter { !new.contains($0) } + ports.map(\.id).filter(new.contains)
    }
    if let chosen, !now.contains(chosen), policy != .only(chosen) { self.chosen = nil }
    return select(isSwitch ? .automaticSwitch : reason(isNew: !new.isEmpty))
  }

  /// Selects a port. Nil leaves the choice to the policy. Throws if there is no port with this id.
  ///
  /// - Returns: The change of the route, or nil.
  public mutating func choose(_ id: String?) throws(RouteError) -> Change? {
    if let id {
      guard ports.contains(where: { $0.id == id }) else { throw .unknown(id) }
      guard present.contains(id) else { throw .absent(id) }
      used = used.filter { $0 != id } + [id]
    }
    chosen = id
    return select(.override)
  }

  private func reason(isNew: Bool) -> Anechoic_V1_RouteChanged.Reason {
    guard let current, !present.contains(current.id) else {
      return isNew && current != nil ? .automaticSwitch : .newDevice
    }
    return .deviceLost
  }

  private mutating func select(_ reason: Anechoic_V1_RouteChanged.Reason) -> Change? {
    let next = wanted
    let isTaken =
      next == nil && named == nil
      && ports.contains {
        present.contains($0.id) && withheld.contains($0.id)
      }
    guard next != current || isTaken != wasTaken || !hasSelected else { return nil }
    hasSelected = true
    defer { (current, wasTaken) = (next, isTaken) }
    return Change(
      reason: next == nil ? .noSuitableRoute : reason, previous: current, current: next,
      isTaken: isTaken)
  }

  /// The port that a person names by choice or in the policy.
  public var named: String? {
    if let chosen { return chosen }
    if case .only(let id) = policy { return id }
    return nil
  }

  /// The port that the policy names. It is never replaced by another.
  private var wanted: Port? {
    let all = ports.filter { present.contains($0.id) }
    // A port that a person names is never replaced.
    if let chosen { return all.first { $0.id == chosen } }
    let candidates = all.filter { !withheld.contains($0.id) }
    switch policy {
    case .only(let id): return all.first { $0.id == id }
    case .priority: return first(candidates)
    case .followsUse:
      let last = used.last { id in candidates.contains { $0.id == id } }
      return candidates.first { $0.id == last } ?? first(candidates)
    }
  }

  /// Returns the port with the highest priority, and of several the first in the file.
  private func first(_ candidates: [Port]) -> Port? {
    candidates.max { left, right in
      (left.priority, -index(left)) < (right.priority, -index(right))
    }
  }

  private func index(_ port: Port) -> Int { ports.firstIndex(of: port) ?? 0 }
}

/// The reason why a port cannot be selected.
public enum RouteError: Error, Equatable, CustomStringConvertible {
  case unknown(String)
  case absent(String)

  public var description: String {
    switch self {
    case .unknown(let id): "there is no port \"\(id)\""
    case .absent(let id): "the port \"\(id)\" is not plugged in"
    }
  }
}
