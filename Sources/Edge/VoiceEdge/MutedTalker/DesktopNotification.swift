internal import DBus
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
  private let (title, text): (String, String)
  private let log: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(
    _ address: BusAddress, title: String, text: String, log: @escaping @Sendable (String) -> Void
  ) {
    (self.address, self.title, self.text, self.log) = (address, title, text, log)
  }

  /// Shows the notification, in place of the one that is still shown.
  func show() async {
    let replaced = state.withLock { $0.shown ?? 0 }
    let arguments: [BusValue] = [
      .string("Anechoic"), .uint32(replaced), .string("microphone-sensitivity-muted"),
      .string(title), .string(text), .array([], of: "s"), .dictionary([:]), .int32(-1),
    ]
    let id = await call("Notify", arguments)?.first?.number
    state.withLock { $0.shown = id }
  }

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
