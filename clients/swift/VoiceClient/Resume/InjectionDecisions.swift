package import AnechoicAPI

/// The decisions of a client about others that ask to inject speech. A new session does not know them, and asks
/// again: the client then answers as before.
package struct InjectionDecisions: Sendable {
  /// The newest decisions, which are kept.
  static let capacity = 1000

  private var decisions: [String: Anechoic_V1_Control] = [:]
  private var order: [String] = []

  package init() {}

  /// Records a control. Only one with a decision counts.
  package mutating func record(_ control: Anechoic_V1_Control) {
    guard case .decideInjectionPermission(let decision) = control.control else { return }
    if decisions.updateValue(control, forKey: decision.client) != nil {
      order.removeAll { $0 == decision.client }
    }
    order.append(decision.client)
    if order.count > Self.capacity { decisions[order.removeFirst()] = nil }
  }

  /// Returns the control that repeats an earlier decision, or nil if the event does not ask for one
  /// that was made before.
  package func answer(to event: Anechoic_V1_SessionEvent) -> Anechoic_V1_Control? {
    guard case .injectionPermissionRequested(let request) = event.event else { return nil }
    return decisions[request.client]
  }
}
