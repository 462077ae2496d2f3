internal import Foundation
internal import Synchronization

/// A PulseAudio server of the rig with its null sinks. It ends by itself when this process ends,
/// because its terminal is a pipe from this process.
final class SoundServer: Sendable {
  let directory: String
  let sinks: [(name: String, channels: Int)]
  let variables: [String: String]
  private let speed: Double
  private let running = Mutex<Running?>(nil)

  private struct Running {
    let process: ChildProcess
    let terminal: Descriptor
    var keepers: [String: ChildProcess] = [:]
  }

  var socket: String { "unix:\(directory)/socket" }

  /// Creates a server. `directory` exists and is empty. `speed` is the rate of the server's clock.
  init(directory: String, sinks: [(name: String, channels: Int)], speed: Double) {
    (self.directory, self.sinks, self.speed) = (directory, sinks, speed)
    variables = [
      "HOME": directory, "XDG_RUNTIME_DIR": directory, "PULSE_RUNTIME_PATH": directory,
      "PULSE_SERVER": "unix:\(directory)/socket", "PULSE_COOKIE": "\(directory)/cookie",
      "PULSE_CLIENTCONFIG": "\(directory)/client.conf",
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    ]
  }

  func start() throws {
    try write("autospawn = no\nenable-shm = no\n", "client.conf")
    // The socket comes last, so that a client that connects finds all sinks.
    let script =
      sinks.map { "load-module module-null-sink \(Self.arguments($0))" } + [
        """
        load-module module-native-protocol-unix socket=\(directory)/socket \
        auth-anonymous=1 auth-cookie-enabled=0
        """,
        "load-module module-cli exit_on_eof=1", "",
      ]
    try write(script.joined(separator: "\n"), "rig.pa")
    let terminal = try Descriptor.pipe()
    let log = try Descriptor(writing: "\(directory)/log")
    var environment = variables
    if speed != 1, let library = Tools.fakeTimeLibrary() {
      environment["LD_PRELOAD"] = library
      environment["FAKETIME"] = "+0 x\(speed)"
    }
    let process = try ChildProcess(
      "pulseaudio",
      [
        "-n", "-F", "\(directory)/rig.pa", "--daemonize=no", "--exit-idle-time=-1",
        "--realtime=no", "--high-priority=no", "--disable-shm=yes", "--use-pid-file=no",
      ], environment: environment, input: terminal.reader, output: log, errors: log)
    running.withLock { $0 = Running(process: process, terminal: terminal.writer) }
    let isReached = try waitUntil(within: .seconds(10)) {
      guard process.isRunning else { throw SoundRigError("pulseaudio ended: \(logText)") }
      return canConnect(toSocket: "\(directory)/socket")
    }
    guard isReached else { throw SoundRigError("pulseaudio does not answer: \(logText)") }
    RealTime.enter(process: process.identifier)
    for sink in sinks { try keepAwake(sink.name) }
  }

  /// Ends the server and the programs that keep its sinks awake.
  func end(_ signal: Int32 = SIGTERM) {
    let ended = running.withLock { running in
      defer { running = nil }
      return running
    }
    ended?.process.stop(signal)
    for keeper in ended?.keepers.values.map(\.self) ?? [] { keeper.stop() }
  }

  func send(_ signal: Int32) { running.withLock { $0?.process.send(signal) } }

  /// Returns the answer of `pactl`. Throws its message if it fails.
  @discardableResult
  func control(_ arguments: String...) throws(SoundRigError) -> String {
    let pipe = try Descriptor.pipe()
    let asked = arguments.joined(separator: " ")
    let process = try ChildProcess(
      "pactl", arguments, environment: variables, output: pipe.writer, errors: pipe.writer)
    // The answers fit into the pipe's buffer.
    let code = process.wait(within: .seconds(10))
    let text = pipe.reader.readAvailable()
    let answer = String(decoding: text, as: UTF8.self)
    guard code == 0 else { throw SoundRigError("pactl \(asked): \(answer)") }
    return answer
  }

  /// Returns the index of the module that provides a sink, or nil if it is not loaded.
  func module(of sink: String) throws(SoundRigError) -> String? {
    try control("list", "short", "modules").split(separator: "\n").first {
      $0.contains("module-null-sink") && $0.contains("sink_name=\(sink) ")
    }?.split(separator: "\t").first.map(String.init)
  }

  func load(_ sink: String) throws(SoundRigError) {
    guard let known = sinks.first(where: { $0.name == sink }) else {
      throw SoundRigError("the rig knows no sink \(sink)")
    }
    guard try module(of: sink) == nil else { return }
    try control("load-module", "module-null-sink", Self.arguments(known))
    try keepAwake(sink)
  }

  func unload(_ sink: String) throws(SoundRigError) {
    guard let module = try module(of: sink) else { return }
    running.withLock { $0?.keepers.removeValue(forKey: sink) }?.stop()
    try control("unload-module", module)
  }

  /// Records from the sink. Without a fast client, a null sink renders up to 2 s at once, and other
  /// clients wait for this.
  private func keepAwake(_ sink: String) throws(SoundRigError) {
    let keeper = try ChildProcess(
      "parec", ["--latency-msec=10", "--raw", "-d", "\(sink).monitor"], environment: variables)
    RealTime.enter(process: keeper.identifier)
    running.withLock { $0?.keepers[sink] = keeper }
  }

  private static func arguments(_ sink: (name: String, channels: Int)) -> String {
    "sink_name=\(sink.name) rate=48000 channels=\(sink.channels) norewinds=1"
  }

  private func write(_ text: String, _ file: String) throws {
    try text.write(toFile: "\(directory)/\(file)", atomically: true, encoding: .utf8)
  }

  private var logText: String {
    (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? "no log"
  }
}

/// Returns whether a server accepts connections at the path.
private func canConnect(toSocket path: String) -> Bool {
  let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(socket) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let isShort = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    guard path.utf8.count < bytes.count else { return false }
    bytes.copyBytes(from: path.utf8)
    return true
  }
  return isShort
    && withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
}
