public import AnechoicAPI
public import Foundation
public import SoundRig
internal import Synchronization

/// An agent on a sound rig that plays the session of another agent.
public final class JoiningEdge: Sendable {
  private let rig: SoundRig
  private let products: URL
  private let arguments: [String]
  private let namespace: NetworkNamespace?
  private let folder: String
  private let socket: String
  private let probe: EdgeProbe
  private let agent = Mutex<Process?>(nil)

  /// Starts the agent, which plays on `vspk`. `folder` is for its log.
  public init(
    _ rig: SoundRig, products: URL, server: String, ticket: String, folder: String,
    namespace: NetworkNamespace? = nil
  ) throws {
    (self.rig, self.products, self.folder, self.namespace) = (rig, products, folder, namespace)
    // The path of a socket must be short.
    socket = NSTemporaryDirectory() + "join-\(getpid())-\(UInt32.random(in: 0..<1_000_000))"
    probe = EdgeProbe(socket: socket)
    try "session: {client: television}\n".write(
      toFile: "\(folder)/join.yaml", atomically: true, encoding: .utf8)
    arguments = [
      "run", "--config", "\(folder)/join.yaml", "--server", server, "--join", ticket, "--output",
      "vspk", "--control-socket", socket,
    ]
    try start()
  }

  deinit { stop() }

  public func start() throws {
    let process = RunningEdge.process(
      products, "anechoic-edge", arguments, environment: rig.environment,
      log: "\(folder)/join.log", namespace: namespace)
    try process.run()
    RealTime.enter(process: process.processIdentifier)
    agent.withLock { $0 = process }
  }

  /// Ends the agent. Returns when it has ended.
  public func stop() {
    agent.withLock { agent in
      guard let agent, agent.isRunning else { return }
      kill(agent.processIdentifier, SIGTERM)
      agent.waitUntilExit()
    }
  }

  public var log: String {
    (try? String(contentsOfFile: "\(folder)/join.log", encoding: .utf8)) ?? ""
  }

  public func status() async throws -> Anechoic_V1_EdgeStatus { try await probe.status() }

  public func wait(
    atMost limit: Duration = .seconds(20),
    until condition: (Anechoic_V1_EdgeStatus) -> Bool
  ) async -> Duration? {
    await probe.wait(atMost: limit, until: condition)
  }
}
