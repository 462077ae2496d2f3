public import AnechoicAPI
public import Foundation
internal import GRPCTransport
public import SoundRig
internal import SwiftProtobuf
internal import Synchronization

/// A server and an agent on a sound rig, as processes of their own. Programs are connected by
/// FIFOs: `voice` contains the processed microphone, and `farEnd` plays the far end.
public final class RunningEdge: Sendable {
  public let folder: String
  public let voice: VoiceTap
  public let farEnd: FIFOFeeder
  private let environment: [String: String]
  private let products: URL
  private let serverAddress: String
  private let agentArguments: [String]
  private let server = Mutex<Process?>(nil)
  private let agent: Mutex<Process?>
  private let namespace: NetworkNamespace?
  private let probe: EdgeProbe

  /// Starts the server and the agent on a sound rig, whose devices the agent uses unless arguments
  /// name others.
  public convenience init(
    _ rig: SoundRig, products: URL, arguments: [String] = [], configuration: String? = nil,
    namespace: NetworkNamespace? = nil, path: (_ server: String) throws -> String = { $0 }
  ) throws {
    try self.init(
      environment: rig.environment, products: products,
      arguments: arguments.isEmpty ? Self.devices : arguments, configuration: configuration,
      namespace: namespace, path: path)
  }

  /// Starts the server and the agent. `environment` has the variables with which the agent finds
  /// devices. `products` is the folder of the executables. `arguments` are additional arguments of
  /// the agent, and `configuration` is the text of its configuration file. The agent runs in the
  /// namespace, if there is one, and reaches the server at the address that `path` returns for the
  /// server's own.
  public init(
    environment: [String: String], products: URL, arguments: [String] = [],
    configuration: String? = nil, namespace: NetworkNamespace? = nil,
    path: (_ server: String) throws -> String = { $0 }
  ) throws {
    self.namespace = namespace
    self.environment = environment
    self.products = products
    folder = try FileManager.default.url(
      for: .itemReplacementDirectory, in: .userDomainMask,
      appropriateFor: URL(filePath: NSTemporaryDirectory()), create: true
    ).path
    // The path of a socket must be short.
    let sockets = NSTemporaryDirectory() + "edge-\(getpid())-\(UInt32.random(in: 0..<1_000_000))"
    serverAddress = "unix:\(sockets)-server"
    voice = VoiceTap(path: "\(folder)/voice")
    farEnd = FIFOFeeder(path: "\(folder)/far-end")
    probe = EdgeProbe(socket: "\(sockets)-agent")
    agent = Mutex(nil)
    var named: [String] = []
    if let configuration {
      try configuration.write(toFile: "\(folder)/edge.yaml", atomically: true, encoding: .utf8)
      named = ["--config", "\(folder)/edge.yaml"]
    }
    agentArguments =
      [
        "run", "--server", try path(serverAddress), "--session-id", "rig",
        "--voice", "fifo:\(folder)/voice", "--far-end", "fifo:\(folder)/far-end",
        "--control-socket", "\(sockets)-agent",
      ] + named + arguments
    startServer()
    try startAgent()
  }

  deinit { stop() }

  /// The rig's loudspeaker, microphone and mixer.
  public static let devices = ["--input", "vmic", "--output", "vspk", "--control", "vmic"]

  public var agentIdentifier: Int32 { agent.withLock { $0?.processIdentifier ?? 0 } }

  public var agentLog: String {
    (try? String(contentsOfFile: "\(folder)/agent.log", encoding: .utf8)) ?? ""
  }

  public func startServer() {
    let process = Self.process(
      products, "anechoic-server",
      ["--listen", serverAddress, "--frame-budget", "0", "--http-listen", "off"],
      environment: [:],
      log: "\(folder)/server.log")
    server.withLock { $0 = process }
    try? process.run()
  }

  public func startAgent() throws {
    let process = Self.process(
      products, "anechoic-edge", agentArguments, environment: environment,
      log: "\(folder)/agent.log", namespace: namespace)
    try process.run()
    // The systemd unit sets the same priority.
    RealTime.enter(process: process.processIdentifier)
    agent.withLock { $0 = process }
  }

  /// Ends the agent with a signal. Returns when it has ended.
  public func endAgent(_ signal: Int32 = SIGTERM) {
    agent.withLock { agent in
      guard let agent, agent.isRunning else { return }
      kill(agent.processIdentifier, signal)
      agent.waitUntilExit()
    }
  }

  public func killServer() {
    server.withLock { server in
      if let server { kill(server.processIdentifier, SIGKILL) }
      server?.waitUntilExit()
      server = nil
    }
  }

  public func status() async throws -> Anechoic_V1_EdgeStatus { try await probe.status() }

  public func setMute(_ muted: Bool) async throws {
    _ = try await probe.channel.unary(
      Method(service: RPC.sessions, name: RPC.setMute),
      Anechoic_V1_SetMuteRequest.with { $0.muted = muted }.serializedBytes(), timeout: .seconds(2))
  }

  public func testAudio() async throws -> Anechoic_V1_TestAudioResponse {
    let bytes = try await probe.channel.unary(
      Method(service: RPC.edge, name: RPC.testAudio),
      Anechoic_V1_TestAudioRequest().serializedBytes(), timeout: .seconds(20))
    return try Anechoic_V1_TestAudioResponse(serializedBytes: bytes)
  }

  /// Waits for a condition. Returns the time that it took, or nil if the condition did not become
  /// true in time.
  public func wait(
    atMost limit: Duration = .seconds(20),
    until condition: (Anechoic_V1_EdgeStatus) -> Bool
  ) async -> Duration? {
    await probe.wait(atMost: limit, until: condition)
  }

  public func stop() {
    farEnd.stop()
    voice.stop()
    endAgent()
    killServer()
    try? FileManager.default.removeItem(atPath: folder)
    // A killed server leaves its socket behind.
    try? FileManager.default.removeItem(atPath: String(serverAddress.dropFirst("unix:".count)))
  }

  static func process(
    _ products: URL, _ name: String, _ arguments: [String], environment: [String: String],
    log: String, namespace: NetworkNamespace? = nil
  ) -> Process {
    let process = Process()
    let command = [products.appending(path: name).path] + arguments
    let whole = namespace.map { $0.prefix + command } ?? command
    process.executableURL = URL(filePath: whole[0])
    process.arguments = Array(whole.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    if !FileManager.default.fileExists(atPath: log) {
      _ = FileManager.default.createFile(atPath: log, contents: nil)
    }
    if let file = FileHandle(forWritingAtPath: log) {
      _ = try? file.seekToEnd()
      process.standardError = file
    }
    return process
  }
}

extension Anechoic_V1_EdgeStatus {
  /// Whether the agent's microphone is open.
  public var microphoneIsOpen: Bool {
    devices.contains { $0.role == "microphone" && [.running, .stalled].contains($0.state) }
  }

  /// Whether the agent is connected and its microphone and loudspeaker transfer sound.
  public var runs: Bool {
    connected
      && ["microphone", "loudspeaker"].allSatisfy { role in
        devices.contains { $0.role == role && $0.state == .running }
      }
  }
}
