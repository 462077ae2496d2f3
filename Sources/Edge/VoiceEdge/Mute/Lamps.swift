internal import Dispatch
internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// Files that show a state of the microphone: 1 while it lasts and 0 otherwise, such as a LED's
/// `brightness` in sysfs. A lamp that was away shows the state within a second after it is back.
final class Lamps: Sendable {
  private struct State {
    /// Nil until it is known.
    var isLit: Bool?
    /// The files that show the state, by the paths of the lamps. A lamp that cannot be set is absent.
    var set: [String: FileIdentity] = [:]
    /// The problem of each lamp that cannot be set, which is logged once.
    var problems: [String: Int32] = [:]
  }

  /// The time between looks for lamps that have come.
  private static let interval = DispatchTimeInterval.seconds(1)

  private let title: String
  private let paths: [String]
  private let log: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "lamps")
  private let state = Mutex(State())

  /// Creates lamps. `title` names them in the log.
  init(_ title: String, _ paths: [String], log: @escaping @Sendable (String) -> Void) {
    self.title = title
    self.paths = paths
    self.log = log
    if !paths.isEmpty { watch() }
  }

  /// Sets the lamps. Returns at once.
  func set(_ isLit: Bool) {
    update {
      $0.isLit = isLit
      $0.set = [:]
    }
  }

  /// Sets the lamps to the last state again, because a device may have changed its own. Returns at once.
  func setAgain() { update { $0.set = [:] } }

  private func update(_ change: @escaping @Sendable (inout State) -> Void) {
    guard !paths.isEmpty else { return }
    queue.async { [self] in
      state.withLock {
        change(&$0)
        show(&$0)
      }
    }
  }

  /// Looks again and again for lamps that do not show the state.
  private func watch() {
    queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self else { return }
      state.withLock { self.show(&$0) }
      watch()
    }
  }

  /// Sets the lamps whose files do not show the state: those that failed, and those that are new.
  private func show(_ state: inout State) {
    guard let isLit = state.isLit else { return }
    for path in paths {
      if let file = state.set[path], file == FileIdentity(path) { continue }
      let problem = Self.set(path, isLit)
      state.set[path] = problem == nil ? FileIdentity(path) : nil
      if let problem, problem != state.problems[path] {
        log("\(title) \(path): \(String(cString: strerror(problem)))")
      }
      state.problems[path] = problem
    }
  }

  /// Sets a lamp. Returns the problem if that is not possible.
  private static func set(_ path: String, _ isLit: Bool) -> Int32? {
    let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return write(descriptor, isLit ? "1\n" : "0\n", 2) < 0 ? errno : nil
  }

  /// Waits until the lamps show the last state.
  func finish() { queue.sync {} }
}
