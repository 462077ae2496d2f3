internal import Synchronization

/// A notification of the desktop (org.freedesktop.Notifications), which is shown once at a time.
///
/// No function waits longer than a second for the desktop.
final class DesktopNotification: Sendable {
  private enum Service {
    static let name = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"
  }

  private static let limit = Duration.seconds(1)

  private struct State {
    var bus: BusConnection?
    var shown: UInt32?
    var lastProblem: String?
  }

  private let address: BusAddress
  private let (title, text, icon): (String, String, String)
  private let buttons: [(key: String, label: String)]
  private let log: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// Creates a notification. The desktop may read `text` as markup: see `plain`.
  init(
    _ address: BusAddress, title: String, text: String, icon: String,
    buttons: [(key: String, label: String)] = [], log: @escaping @Sendable (String) -> Void
  ) {
    (self.address, self.title, self.text, self.icon) = (address, title, text, icon)
    (self.buttons, self.log) = (buttons, log)
  }

  /// Returns the markup of a text that shows its characters as they are.
  static func plain(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Shows the notification, in place of the one that is still shown.
  func show() async {
    let replaced = state.withLock { $0.shown ?? 0 }
    let actions = buttons.flatMap { [BusValue.string($0.key), .string($0.label)] }
    // A question stays until it is answered.
    let lifetime: Int32 = buttons.isEmpty ? -1 : 0
    let arguments: [BusValue] = [
      .string("Anechoic"), .uint32(replaced), .string(icon), .string(title), .string(text),
      .array(actions, of: "s"), .dictionary([:]), .int32(lifetime),
    ]
    let id = await call("Notify", arguments)?.first?.number
    state.withLock { $0.shown = id }
  }

  /// Shows the notification until a button is pressed. Returns the button's key, or nil if the person
  /// closed the notification. Waits for a desktop that is away.
  func choice() async -> String? {
    while !Task.isCancelled {
      if let bus = try? await connection() {
        let rule = "type='signal',interface='\(Service.name)',path='\(Service.path)'"
        _ = try? await bus.watch(rule)
        await show()
        if let shown { return await choice(of: shown, on: bus) }
      }
      try? await Task.sleep(for: Self.limit)
    }
    return nil
  }

  /// Waits for a button of a notification, or for its end.
  private func choice(of number: UInt32, on bus: BusConnection) async -> String? {
    for await signal in bus.messages where signal.arguments.first?.number == number {
      switch signal.member {
      case "ActionInvoked": return signal.arguments.dropFirst().first?.text
      case "NotificationClosed": return nil
      default: break
      }
    }
    // The bus was lost, and the notification with it, or the task is cancelled.
    return nil
  }

  private var shown: UInt32? { state.withLock { $0.shown } }

  /// Closes the notification if it is shown.
  func close() async {
    let shown = state.withLock { state in
      defer { state.shown = nil }
      return state.shown
    }
    if let shown { _ = await call("CloseNotification", [.uint32(shown)]) }
  }

  /// Calls a method, on a new connection if the last one was lost. Logs a problem once.
  private func call(_ method: String, _ arguments: [BusValue]) async -> [BusValue]? {
    do throws(BusError) {
      let answer = try await connection().call(
        BusCall(Service.name, Service.path, Service.name, method, arguments), within: Self.limit)
      state.withLock { $0.lastProblem = nil }
      return answer
    } catch {
      let isNews = state.withLock { state in
        defer { (state.bus, state.lastProblem) = (nil, error.description) }
        return state.lastProblem != error.description
      }
      if isNews { log("notification: \(error)") }
      return nil
    }
  }

  private func connection() async throws(BusError) -> BusConnection {
    if let bus = state.withLock({ $0.bus }) { return bus }
    let bus = try await BusConnection.open(address)
    state.withLock { $0.bus = bus }
    return bus
  }
}
