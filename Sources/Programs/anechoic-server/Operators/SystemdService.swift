internal import LinuxSystem
internal import VoiceServer

/// The server as systemd sees it: whether it is ready, reads its settings, stops, and is alive.
/// Without systemd, nothing happens.
struct SystemdService: Sendable {
  private let notifier: ServiceNotifier?
  /// The socket that the environment names, or nil if it names none.
  private let socket: String?
  /// The time to end after the drain time: the rest of recordings, the last answers and lines.
  private static let farewell = Duration.seconds(15)

  init(environment: [String: String]) {
    notifier = ServiceNotifier(environment: environment)
    socket = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Tells that the server is ready. Returns the problem if the environment names a socket that takes no
  /// message, or nil. systemd then waits for a message until it ends the service.
  func tellReady() -> String? {
    guard let socket else { return nil }
    guard let notifier else {
      return
        "NOTIFY_SOCKET: \"\(socket)\" must be a path, or a name after @; systemd is told nothing"
    }
    guard notifier.send(.ready) else {
      return
        "NOTIFY_SOCKET: \(socket) takes no message; systemd does not know that the server is ready"
    }
    notifier.send(.status("ready"))
    return nil
  }

  func tellReloading() { notifier?.send(.reloading) }

  /// Tells the end of a reload. `problem` is the part that could not be reloaded, with the reason.
  func tellReloaded(problem: String?) { tell(.ready, problem ?? "ready") }

  /// Tells that the server stops, so that systemd waits for the sessions even if the drain time is
  /// longer than the unit's TimeoutStopSec.
  func tellStopping(drainTime: Duration) {
    tell(.stopping(drainTime + Self.farewell), "waiting for running sessions to end")
  }

  /// Tells systemd again and again that the server is alive, while each thread that serves calls
  /// answers. Returns when the task is cancelled, and at once without a watchdog.
  func watch(_ server: VoiceProcessingServer) async {
    guard let notifier, let limit = notifier.watchdogLimit else { return }
    while !Task.isCancelled {
      await server.callThreadsAnswer()
      notifier.send(.watchdog)
      try? await Task.sleep(for: limit / 3)
    }
  }

  private func tell(_ message: ServiceNotifier.Message, _ words: String) {
    notifier?.send(message)
    notifier?.send(.status(words))
  }
}
