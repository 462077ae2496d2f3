public import AnechoicAPI
public import Foundation
internal import GRPCTransport
public import SoundRig
internal import SwiftProtobuf
internal import Synchronization

/// Several machines of one person, each with an agent in a network of its own, and a server. All
/// can use the headset of the rig.
public final class SwitchingMachines: Sendable {
  public let machines: [SwitchingMachine]
  private let namespaces: NetworkNamespaces
  private let products: URL
  private let folder: URL
  private let server = Mutex<Process?>(nil)

  /// Starts the server and the agents. `products` is the folder of the executables.
  public init(_ rig: SoundRig, products: URL, names: [String]) throws {
    namespaces = try NetworkNamespaces(machineCount: names.count)
    self.products = products
    folder = FileManager.default.temporaryDirectory
      .appending(path: "switching-\(UInt32.random(in: 0 ... .max))")
    let folder = folder
    machines = try names.map { try SwitchingMachine($0, folder: folder.appending(path: $0).path) }
    startServer()
    for (index, machine) in machines.enumerated() {
      let process = RunningEdge.process(
        products, "anechoic-edge", ["run", "--config", machine.configuration],
        environment: rig.environment, log: machine.log)
      namespaces.place(process, on: index)
      try process.run()
      machine.start(process)
    }
  }

  deinit { stop() }

  public func startServer() {
    let process = RunningEdge.process(
      products, "anechoic-server",
      [
        "--listen", "\(NetworkNamespaces.serverAddress):50051", "--authentication", "none",
        "--frame-budget", "0", "--http-listen", "off",
      ], environment: [:], log: folder.appending(path: "server.log").path)
    namespaces.place(process, on: nil)
    try? process.run()
    server.withLock { $0 = process }
  }

  public func killServer() {
    server.withLock { server in
      if let server { kill(server.processIdentifier, SIGKILL) }
      server?.waitUntilExit()
      server = nil
    }
  }

  public func stop() {
    for machine in machines { machine.stop() }
    killServer()
    namespaces.remove()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// A machine with an agent. Its programs are connected by FIFOs.
public final class SwitchingMachine: Sendable {
  public let name: String
  /// Plays music.
  public let music: FIFOFeeder
  let configuration: String
  let log: String
  private let folder: String
  private let agent = Mutex<Process?>(nil)
  private let call = Mutex<VoiceTap?>(nil)
  private let channel: Channel

  init(_ name: String, folder: String) throws {
    self.name = name
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    configuration = "\(folder)/edge.yaml"
    log = "\(folder)/agent.log"
    music = FIFOFeeder(path: "\(folder)/music")
    channel = Channel(target: "unix:\(folder)/agent")
    try """
    server: {address: "\(NetworkNamespaces.serverAddress):50051"}
    session: {id: \(name)}
    routes:
      ports:
        - {id: headset, input: headset2, output: headset2, priority: 1}
        - {id: desk, input: vmic, output: vspk}
    programs: {other_audio: "fifo:\(folder)/music", other_audio_channels: 1, voice: "fifo:\(folder)/voice"}
    routing: {group: anna, machine: \(name), headsets: [headset], call: voice}
    fallback: silence
    control_socket: \(folder)/agent
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
  }

  func start(_ process: Process) { agent.withLock { $0 = process } }

  public var agentLog: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  /// Begins a call: a program reads the voice.
  public func beginCall() { call.withLock { $0 = VoiceTap(path: "\(folder)/voice") } }

  public func endCall() {
    call.withLock { call in
      call?.stop()
      call = nil
    }
  }

  public func status() async throws -> Anechoic_V1_EdgeStatus {
    let bytes = try await channel.unary(
      Method(service: RPC.edge, name: RPC.getEdgeStatus),
      Anechoic_V1_GetEdgeStatusRequest().serializedBytes(), timeout: .seconds(5))
    return try Anechoic_V1_GetEdgeStatusResponse(serializedBytes: bytes).status
  }

  /// Checks the condition many times a second. Returns whether it became true within a minute.
  public func wait(until condition: (Anechoic_V1_EdgeStatus) -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < limit {
      if let status = try? await status(), condition(status) { return true }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  func stop() {
    endCall()
    music.stop()
    agent.withLock { agent in
      guard let agent, agent.isRunning else { return }
      kill(agent.processIdentifier, SIGTERM)
      agent.waitUntilExit()
    }
  }
}
