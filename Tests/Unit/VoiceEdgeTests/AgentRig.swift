import AnechoicAPI
import AudioCore
import BundledEngines
import EdgeAudio
import Foundation
import GRPCTransport
import ScriptedDevices
import SwiftProtobuf
import Synchronization
import TestAudio
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer

@testable import VoiceEdge

/// An agent on scripted devices, and a server that a test can stop and start.
final class AgentRig: Sendable {
  let folder: Folder
  let machine: ScriptedMachine
  let microphone: ScriptedDevice
  let loudspeaker: ScriptedDevice
  let mixer: ScriptedSwitch
  let agent: EdgeAgent
  let log = Lines()
  /// Clients of the agent's session, at the agent and at the server.
  let local: SessionsClient
  let remote: SessionsClient
  private let server = Mutex<VoiceProcessingServer?>(nil)

  /// Speech in phrases of 1.2 s with pauses of 0.6 s in a quiet room, as a function of the monotonic
  /// clock.
  static let speech = Task<ScriptedDevice.Signal, any Error> {
    let samples = try await Voices.far.value.map { $0 * 1.8 }
    let noise = Signals.noise(samples.count, amplitude: 0.0005, seed: 12)
    let heard = samples.indices.map { noise[$0] + ($0 % 28_800 < 19_200 ? samples[$0] : 0) }
    return { heard[Int($0 * 16000) % heard.count] }
  }

  /// The settings of an agent, which a test can change.
  struct Setup {
    var configuration = EdgeConfiguration()
    let machine = ScriptedMachine()
    let folder: Folder
    var microphone: ScriptedDevice.Signal
    /// The rate of the loudspeaker's clock relative to the machine's, in parts per million.
    /// Positive if it is faster.
    var loudspeakerDrift = 0.0
    var hasServer = true
    /// The sound server whose other streams are lowered.
    var desktop: (any StreamServers)?
    /// Media players that pause during calls.
    var media: (any PausesMedia)?
    /// Runs when the server has started, before the agent starts.
    var prepare: @Sendable (AgentRig) async throws -> Void = { _ in }
  }

  private init(_ setup: Setup) {
    (folder, machine) = (setup.folder, setup.machine)
    microphone = machine.addMicrophone("mic", setup.microphone)
    loudspeaker = machine.addLoudspeaker("spk", partsPerMillion: setup.loudspeakerDrift)
    mixer = machine.addControl("mixer")
    agent = EdgeAgent(
      setup.configuration, system: machine, desktop: setup.desktop,
      media: setup.media, engines: .bundled, log: log.add)
    local = SessionsClient(server: "unix:\(folder.path("agent"))", clientName: "olga")
    remote = SessionsClient(server: "unix:\(folder.path("server"))", clientName: "paul")
  }

  /// Runs `body` while the agent runs. Stops the agent afterwards, even if `body` throws.
  static func run(
    _ change: (inout Setup) throws -> Void = { _ in }, _ body: (AgentRig) async throws -> Void
  ) async throws {
    var setup = Setup(folder: try Folder(), microphone: try await speech.value)
    setup.configuration.server.address = "unix:\(setup.folder.path("server"))"
    setup.configuration.controlSocket = setup.folder.path("agent")
    setup.configuration.session.id = "edge"
    setup.configuration.session.client = "agent"
    setup.configuration.calls.begin = .always
    setup.configuration.audio.rate = .hz16000
    setup.configuration.audio.outputChannels = 1
    var port = EdgeConfiguration.Port(id: "desk")
    (port.input, port.output, port.control) = ("mic", "spk", "mixer")
    setup.configuration.routes.ports = [port]
    try change(&setup)
    let rig = AgentRig(setup)
    if setup.hasServer { try rig.startServer() }
    try await setup.prepare(rig)
    let work = Task { try await rig.agent.run() }
    do {
      try await eventually("local control") {
        (try? await rig.edgeStatus()) != nil
      }
      if setup.hasServer, setup.configuration.calls.begin == .always { try await rig.connected() }
      try await body(rig)
    } catch {
      work.cancel()
      _ = try? await work.value
      await rig.stopServer()
      // The agent's log may show the cause.
      for line in rig.log.all { print("agent: \(line)") }
      throw error
    }
    work.cancel()
    _ = try? await work.value
    await rig.stopServer()
  }

  // MARK: The server

  func startServer() throws {
    let configuration = ServerConfiguration(
      addresses: ["unix:\(folder.path("server"))"], threads: 1,
      engines: .bundled)
    let new = try VoiceProcessingServer(configuration)
    server.withLock { $0 = new }
  }

  func stopServer() async {
    let old = server.withLock { server in
      defer { server = nil }
      return server
    }
    await old?.stop(grace: .zero)
  }

  func connected() async throws {
    try await eventually("connected") { self.status.isConnected }
  }

  // MARK: Observations of the agent

  var status: EdgeStatus { agent.board.status }

  /// The status from the local control.
  func edgeStatus() async throws -> Anechoic_V1_EdgeStatus {
    let response: Anechoic_V1_GetEdgeStatusResponse = try await ask(
      RPC.getEdgeStatus, Anechoic_V1_GetEdgeStatusRequest())
    return response.status
  }

  func ask<Request: Message, Response: Message>(
    _ name: String, _ request: Request, service: String = RPC.edge
  ) async throws -> Response {
    let bytes = try await Channel(target: "unix:\(folder.path("agent"))").unary(
      Method(service: service, name: name), request.serializedBytes(), timeout: .seconds(15))
    return try Response(serializedBytes: bytes)
  }

  func chooseRoute(_ id: String) async throws -> Anechoic_V1_EdgeStatus {
    let response: Anechoic_V1_ChooseRouteResponse = try await ask(
      RPC.chooseRoute, Anechoic_V1_ChooseRouteRequest.with { $0.portID = id })
    return response.status
  }

  /// Returns the state of a device by its role.
  func state(of role: String) -> DeviceHealth.State? {
    agent.devices.health.first { $0.role == role }?.health.state
  }

  func running() async throws {
    try await eventually("devices run") {
      self.agent.devices.microphone.record.value.isRunning
        && self.agent.devices.loudspeaker.record.value.isRunning
    }
  }
}

extension AgentRig {
  /// Waits until the loudspeaker has played for this much longer, by its own clock at 16 kHz.
  func plays(_ time: Duration) async throws {
    let end = loudspeaker.playedCount + Int(time / .seconds(1) * 16_000)
    try await eventually("\(time) are played", within: .seconds(20) + time * 5) {
      self.loudspeaker.playedCount >= end
    }
  }
}

/// The events of the agent's session, as a watcher at the server receives them.
final class EventLog: Sendable {
  private let events = Mutex<[Anechoic_V1_SessionEvent]>([])
  private let watch: WatchStream

  init(_ rig: AgentRig) async throws {
    let session = try #require(rig.status.session.isEmpty ? nil : rig.status.session)
    watch = try await rig.remote.watch(session, fromEvent: 1)
    Task { [self] in
      while let response = try? await watch.receive() {
        if case .event(let event) = response.item { events.withLock { $0.append(event) } }
      }
    }
  }

  var all: [Anechoic_V1_SessionEvent] { events.withLock { $0 } }

  func stop() { watch.cancel() }
}
