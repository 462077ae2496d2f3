internal import Synchronization

/// The service-wide switch of injection. It can be changed while the server runs: switching it off
/// ends all running injections, and switching it on restores the permissions of running sessions.
public final class InjectionSwitch: Sendable {
  private struct State {
    var isOn: Bool
    var listener: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  public init(isOn: Bool = true) { state = Mutex(State(isOn: isOn)) }

  public var isOn: Bool { state.withLock { $0.isOn } }

  public func set(_ isOn: Bool) {
    let listener = state.withLock { state in
      defer { state.isOn = isOn }
      return state.isOn == isOn ? nil : state.listener
    }
    listener?()
  }

  /// Calls `listener` after each change, on the thread that makes the change.
  func onChange(_ listener: @escaping @Sendable () -> Void) {
    state.withLock { $0.listener = listener }
  }
}
