internal import Dispatch
internal import EdgeAudio
internal import Synchronization

/// The state of the jacks that ports have at one control.
final class PortJacks: ControlReader {
  private struct State {
    /// Whether something is plugged in, by the ids of ports. A jack that the control does not have
    /// is absent.
    var plugged: [String: Bool] = [:]
    /// The jacks that the log has called missing since the control was opened.
    var missing: Set<JackName> = []
    var changed: @Sendable () -> Void = {}
  }

  /// The longest wait for the first look.
  private static let patience = DispatchTimeInterval.milliseconds(500)

  let control: String
  private let jacks: [(port: String, jack: JackName)]
  private let state = Mutex(State())
  private let hasLooked = DispatchSemaphore(value: 0)
  private let log: @Sendable (String) -> Void

  init(
    _ control: String, _ ports: [EdgeConfiguration.Port], log: @escaping @Sendable (String) -> Void
  ) {
    self.control = control
    jacks = ports.compactMap { port in port.jack.map { (port.id, $0) } }
    self.log = log
  }

  /// Calls a function after each change. It must return at once.
  func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.changed = body } }

  func isPlugged(_ port: String) -> Bool? { state.withLock { $0.plugged[port] } }

  func awaitFirstLook() { _ = hasLooked.wait(timeout: .now() + Self.patience) }

  func read(_ control: any DeviceControl) throws(DeviceIOError) {
    var plugged: [String: Bool] = [:]
    var missing: [JackName] = []
    for (port, jack) in jacks {
      plugged[port] = try control.isPlugged(jack)
      if plugged[port] == nil { missing.append(jack) }
    }
    try warn(of: missing, control)
    set(plugged)
  }

  /// A control that is gone has nothing plugged in.
  func closed(isSelected: Bool) {
    state.withLock { $0.missing = [] }
    set(Dictionary(jacks.map { ($0.port, false) }) { first, _ in first })
  }

  private func set(_ plugged: [String: Bool]) {
    let changed = state.withLock { state -> (@Sendable () -> Void)? in
      guard plugged != state.plugged else { return nil }
      state.plugged = plugged
      return state.changed
    }
    changed?()
    hasLooked.signal()
  }

  /// Logs the jacks that are missing, once until they come or the control is opened again.
  private func warn(of missing: [JackName], _ control: any DeviceControl) throws(DeviceIOError) {
    let new = state.withLock { state in
      defer { state.missing = Set(missing) }
      return missing.filter { !state.missing.contains($0) }
    }
    guard !new.isEmpty else { return }
    let names = try control.jacks().map { "\"\($0)\"" }.joined(separator: ", ")
    for jack in new {
      let ports = jacks.filter { $0.jack == jack }.map(\.port).joined(separator: ", ")
      log(
        "routes: \"\(self.control)\" has no jack \"\(jack)\", so port \(ports) counts as "
          + "plugged in; "
          + (names.isEmpty ? "it has no jacks" : "its jacks are \(names)"))
    }
  }
}
