internal import CSoundRig
internal import Glibc
internal import Synchronization

/// A program that this process has started. This process ends no other program. Unlike Foundation's
/// type, it passes on only the given environment and descriptors, and no signal masks.
final class ChildProcess: Sendable {
  let identifier: pid_t
  /// The status that `waitpid` returned. Nil while the program runs.
  private let status = Mutex<Int32?>(nil)

  /// Starts the program. The descriptors belong to this process. Nil is /dev/null.
  init(
    _ program: String, _ arguments: [String], environment: [String: String],
    input: Descriptor? = nil, output: Descriptor? = nil,
    errors: Descriptor? = nil
  ) throws(SoundRigError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    Self.redirect(0, to: input, O_RDONLY, &actions)
    Self.redirect(1, to: output, O_WRONLY, &actions)
    Self.redirect(2, to: errors, O_WRONLY, &actions)
    rig_close_from(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for string in argv + variables { free(string) } }
    var identifier: pid_t = 0
    let code = posix_spawnp(&identifier, program, &actions, &attributes, &argv, &variables)
    guard code == 0 else {
      throw SoundRigError("cannot start \(program): \(String(cString: strerror(code)))")
    }
    self.identifier = identifier
  }

  deinit { stop() }

  var isRunning: Bool { reap(WNOHANG) == nil }

  /// Sends a signal. Does nothing once the program has ended, because its process id may then
  /// belong to another program.
  func send(_ signal: Int32) {
    status.withLock { status in
      if Self.reap(identifier, WNOHANG, into: &status) == nil { kill(identifier, signal) }
    }
  }

  /// Ends the program, with SIGKILL if necessary. Returns when it has ended.
  func stop(_ signal: Int32 = SIGTERM) {
    send(signal)
    send(SIGCONT)
    if !waitUntil(within: .seconds(2), { !isRunning }) {
      send(SIGKILL)
      _ = reap(0)
    }
  }

  /// Returns the exit code, or 128 plus the number of the signal. Nil if the program still runs
  /// after the limit.
  func wait(within limit: Duration) -> Int32? {
    guard waitUntil(within: limit, { !isRunning }), let status = reap(WNOHANG) else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  private func reap(_ options: Int32) -> Int32? {
    status.withLock { Self.reap(identifier, options, into: &$0) }
  }

  private static func reap(
    _ identifier: pid_t, _ options: Int32, into status: inout Int32?
  ) -> Int32? {
    if status != nil { return status }
    var result: Int32 = 0
    var answer: pid_t
    repeat { answer = waitpid(identifier, &result, options) } while answer < 0 && errno == EINTR
    if answer != 0 { status = answer == identifier ? result : 0 }
    return status
  }

  private static func redirect(
    _ number: Int32, to descriptor: Descriptor?, _ mode: Int32,
    _ actions: inout posix_spawn_file_actions_t
  ) {
    if let raw = descriptor?.raw {
      posix_spawn_file_actions_adddup2(&actions, raw, number)
    } else {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
    }
  }
}

/// Checks the condition every few milliseconds. Returns whether it became true in time.
func waitUntil(within limit: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + limit
  while try !condition() {
    if ContinuousClock.now > end { return false }
    usleep(3000)
  }
  return true
}
