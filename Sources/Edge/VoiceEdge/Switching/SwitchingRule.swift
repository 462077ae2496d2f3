internal import AnechoicAPI

/// The rule that decides which headsets this machine may use, without I/O: the last decisions of the
/// arbiter, and the local policy once it has been away for too long.
struct SwitchingRule: Sendable, Equatable {
  /// The time without the arbiter after which the routes of this machine decide alone.
  static let patience = Duration.seconds(10)

  let machine: String
  /// The ids of the ports that are shared headsets.
  let headsets: Set<String>
  /// The last decision for each headset.
  private(set) var decisions: [String: Anechoic_V1_RoutingDecision] = [:]
  /// The time since which the arbiter has been away. Nil while it is connected.
  private(set) var awaySince: ContinuousClock.Instant?

  init(machine: String, headsets: Set<String>, now: ContinuousClock.Instant) {
    self.machine = machine
    self.headsets = headsets
    awaySince = now
  }

  var isConnected: Bool { awaySince == nil }

  /// The headsets that this machine holds by the last decisions.
  var held: Set<String> { headsets.filter { decisions[$0]?.holder == machine } }

  mutating func connected() { awaySince = nil }

  mutating func lost(now: ContinuousClock.Instant) { awaySince = awaySince ?? now }

  /// Takes a decision. Returns whether the holder of one of this machine's headsets has changed.
  mutating func accept(_ decision: Anechoic_V1_RoutingDecision) -> Bool {
    guard headsets.contains(decision.headset) else { return false }
    let last = decisions.updateValue(decision, forKey: decision.headset)
    return last?.holder != decision.holder
  }

  /// Whether the routes of this machine decide alone.
  func isLocal(now: ContinuousClock.Instant) -> Bool {
    awaySince.map { now - $0 >= Self.patience } ?? false
  }

  /// The headsets that the routes must not use by themselves. At the start, these are all.
  func withheld(now: ContinuousClock.Instant) -> Set<String> {
    isLocal(now: now) ? [] : headsets.subtracting(held)
  }
}
