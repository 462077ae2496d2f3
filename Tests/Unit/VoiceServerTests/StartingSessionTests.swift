import AnechoicAPI
import AudioCore
import Dispatch
import GRPCTransport
import Operations
import SwiftProtobuf
import Synchronization
import TestEngines
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer

/// A session that is starting while the server begins to stop.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct StartingSessionTests {
  @Test func aSessionThatIsStartingHearsThatTheServerStops() async throws {
    var configuration = TestServer.configuration()
    configuration.engines = EngineCatalog(WaitingEngine.self)
    let running = try VoiceProcessingServer(configuration)
    let server = try TestServer(running)
    // The server has measured the engine before the answer comes.
    _ = try await server.client.capabilities(timeout: .seconds(20))
    WaitingEngine.gate.close()
    async let starting = server.client.process(.mediaClock())
    defer { WaitingEngine.gate.open() }
    try await eventually("the session has its place") { WaitingEngine.gate.isWaitedFor }
    async let stopped: Void = running.stop(grace: .seconds(60))
    try await eventually("the server stops") { running.readiness != .ready }
    WaitingEngine.gate.open()
    let stream = try await starting
    var endsIn: Int64?
    while endsIn == nil, let response = try await stream.receive() {
      if case .draining(let draining) = response.event.event { endsIn = draining.endsIn.seconds }
    }
    #expect(endsIn.map { (1...60).contains($0) } == true, "\(String(describing: endsIn))")
    stream.finish()
    while try await stream.receive() != nil {}
    await stopped
  }
}

/// A `DelayEngine` that is made only while its gate is open.
private final class WaitingEngine: DelayEngine {
  static let gate = Gate()

  override class var identity: EngineIdentity {
    EngineIdentity(name: "waiting", version: "1", weights: "")
  }

  required init(format: EngineFormat, settings: EngineSettings) {
    Self.gate.pass()
    super.init(format: format, settings: settings)
  }
}

private final class Gate: Sendable {
  private let isClosed = Atomic(false)
  private let waiting = Atomic(0)
  private let opened = DispatchSemaphore(value: 0)

  var isWaitedFor: Bool { waiting.load(ordering: .relaxed) > 0 }

  func close() { isClosed.store(true, ordering: .relaxed) }

  func open() {
    if isClosed.exchange(false, ordering: .relaxed) { opened.signal() }
  }

  /// Waits until the gate is open.
  func pass() {
    guard isClosed.load(ordering: .relaxed) else { return }
    waiting.add(1, ordering: .relaxed)
    opened.wait()
    opened.signal()
  }
}
