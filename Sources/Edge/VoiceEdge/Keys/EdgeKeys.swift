/// The keys of the agent: the devices that report them, and their effects.
final class EdgeKeys: Sendable {
  private let actions: [HeadsetKey: KeyAction]
  private let presses: KeyPresses
  private let commands: KeyCommands

  init(
    _ configuration: EdgeConfiguration, presses: KeyPresses,
    log: @escaping @Sendable (String) -> Void
  ) {
    actions = configuration.keys.actions
    self.presses = presses
    commands = KeyCommands(configuration.keys.command ?? "", log: log)
  }

  /// Performs the action of an event. Returns at once.
  func perform(_ event: KeyEvent) {
    guard event.isPressed || event.key.isSwitch else { return }
    switch actions[event.key] ?? .none {
    case .none: break
    case .mute where event.key == .hookSwitch: presses.add(mutes: !event.isPressed)
    case .mute: if event.isPressed { presses.add(mutes: nil) }
    case .command: commands.add(event)
    }
  }

  /// Decides presses and runs commands until the task is cancelled.
  func performAll() async {
    await withTaskGroup { [presses, commands] group in
      group.addTask { await presses.decideAll() }
      group.addTask { await commands.runAll() }
    }
  }
}
