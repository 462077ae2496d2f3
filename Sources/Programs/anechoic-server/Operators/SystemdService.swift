internal import LinuxSystem
internal import VoiceServer

/// The server as systemd sees it: whether it is ready, reads its settings, stops, and is alive.
/// Without systemd, nothing happens.
struct SystemdService: Sendable {
  private let notifier: ServiceNotifier?
  /// The time to end after the drain time: the rest of recordings, the last answers and lines.
  private static let farewell = Duration.seconds(15)

  init(environment: [String: String]) { notifier = ServiceNotifier(environment: environment) }

  func tellReady() { tell(.ready, "ready") }

  func tellReloading() { notifier?.send(.reloading) }

  /// Tells the end of a reload. `problem` is the reason for which the settings stay as they are.
  func tellReloaded(problem: String?) {
    tell(.ready, problem.map { "settings not reloaded: \($0)" } ?? "ready")
  }

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
