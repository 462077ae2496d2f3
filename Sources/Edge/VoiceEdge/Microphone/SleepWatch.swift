internal import EdgeAudio
internal import Foundation

/// Tells when the machine is about to sleep and when it wakes up, as logind announces it
/// (`org.freedesktop.login1.Manager.PrepareForSleep`).
struct SleepWatch: Sendable {
  private static let rule =
    "type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForSleep',"
    + "path='/org/freedesktop/login1'"

  private let bus: BusAddress
  private let changed: @Sendable (_ isAsleep: Bool) -> Void

  /// Returns nil on a machine without a system bus, such as a container.
  init?(
    _ configuration: EdgeConfiguration, changed: @escaping @Sendable (_ isAsleep: Bool) -> Void
  ) {
    let named = configuration.programs.systemBus
    bus = named.map { BusAddress($0) } ?? .system()
    self.changed = changed
    let path = bus.text.components(separatedBy: "path=").last ?? ""
    guard named != nil || FileManager.default.fileExists(atPath: path) else { return nil }
  }

  /// Watches until the task is cancelled. Connects again when the bus was lost.
  func run() async {
    var backoff = Backoff(from: .milliseconds(250), to: .seconds(30))
    while !Task.isCancelled {
      if let bus = try? await BusConnection.open(bus), (try? await bus.watch(Self.rule)) != nil {
        backoff.reset()
        for await signal in bus.messages where signal.member == "PrepareForSleep" {
          if case .boolean(let isAsleep)? = signal.arguments.first { changed(isAsleep) }
        }
        // Whoever announces the end of the sleep is gone.
        changed(false)
      }
      try? await Task.sleep(for: backoff.next())
    }
  }
}
