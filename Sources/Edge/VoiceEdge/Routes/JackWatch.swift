internal import EdgeAudio

/// A watch of the jacks of all ports, with one thread for each control, which sleeps until the
/// control reports an event.
final class JackWatch: Sendable {
  private let loops: [ControlLoop]
  private let jacks: [PortJacks]

  /// Creates a watch. `log` is called with a line if a control does not have the jack of a port.
  init(
    _ ports: [EdgeConfiguration.Port], _ system: any AudioSystem,
    log: @escaping @Sendable (String) -> Void
  ) {
    let ports = ports.filter { $0.jack != nil }
    let controls = Set(ports.compactMap(\.jackControl))
    jacks = controls.map { control in
      PortJacks(control, ports.filter { $0.jackControl == control }, log: log)
    }
    loops = jacks.map { ControlLoop(system, $0.control, $0) }
  }

  /// Starts the threads, and waits a moment for the first look at the jacks. `changed` is called on
  /// a thread of the watch when something was plugged in or unplugged.
  func start(changed: @escaping @Sendable () -> Void) {
    for jacks in jacks { jacks.onChange(changed) }
    for loop in loops { loop.start("jacks") }
    for jacks in jacks { jacks.awaitFirstLook() }
  }

  /// Returns whether something is plugged into the jack of a port, or nil if the port has no jack,
  /// or one that its control does not have.
  func isPlugged(_ id: String) -> Bool? { jacks.lazy.compactMap { $0.isPlugged(id) }.first }

  func stop() { for loop in loops { loop.stop() } }

  func join() { for loop in loops { loop.join() } }
}
