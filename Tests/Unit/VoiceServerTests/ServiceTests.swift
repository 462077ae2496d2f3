import AnechoicAPI
import AudioCore
import BundledEngines
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceEngines
import VoiceServer

/// The services beside the sessions: capabilities, health and reflection.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ServiceTests {
  private typealias Health = Grpc_Health_V1_HealthCheckResponse

  @Test func capabilitiesContainLimitsAndLoad() async throws {
    try await TestServer.run {
      $0.limits.sessions = 7
    } _: { server in
      let stream = try await server.client.process(.mediaClock())
      let capabilities = try await server.client.capabilities()
      #expect(capabilities.version == anechoicVersion)
      #expect(capabilities.engines.map(\.engine.name) == TestServer.engines.names)
      #expect(capabilities.engines.first?.engine == stream.started.engine)
      #expect(capabilities.engines.map(\.isDefault) == [true, false])
      #expect(capabilities.sampleRatesHz == SampleRate.allCases.map { UInt32($0.hertz) })
      #expect(capabilities.encodings == [.pcmS16Le, .pcmF32Le, .opus])
      #expect(Set(capabilities.micModes) == [.standard, .voiceIsolation, .wideSpectrum])
      #expect(capabilities.sessionsActive == 1 && capabilities.sessionsMax == 7)
      #expect(capabilities.maxMessageBytes == 4 << 20)
    }
  }

  @Test func healthIsServedForTheServerAndItsService() async throws {
    try await TestServer.run { server in
      #expect(try await server.client.health() == .serving)
      #expect(try await server.client.health(of: RPC.voiceProcessing) == .serving)
      let refusal = await #expect(throws: Status.self) {
        try await server.client.health(of: "no.such.Service")
      }
      #expect(refusal?.code == .notFound && refusal?.message.contains("no.such.Service") == true)
      let list = try Grpc_Health_V1_HealthListResponse(
        serializedBytes: Data(
          await server.channel.unary(
            Method(service: RPC.health, name: RPC.list), [], timeout: .seconds(5))))
      #expect(
        list.statuses.mapValues(\.status) == [
          "": .serving, RPC.voiceProcessing: .serving, RPC.sessions: .serving,
          RPC.routing: .serving, RPC.profiles: .serving,
          "liveness": .serving, "readiness": .serving,
        ])
    }
  }

  @Test func aDrainingServerRefusesNewSessionsAndServesRunningOnes() async throws {
    let server = try VoiceProcessingServer(
      ServerConfiguration(
        addresses: ["127.0.0.1:0"], threads: 1, engines: .bundled))
    let address = try #require(server.addresses.first)
    let channel = Channel(target: address)
    let client = VoiceProcessingClient(server: address)
    let unknown = try await watch("no.such.Service", channel)
    #expect(try await next(unknown) == .serviceUnknown)
    let watched = try await watch(RPC.voiceProcessing, channel)
    #expect(try await next(watched) == .serving)
    let stream = try await client.process(.mediaClock())

    async let stopped: Void = server.stop(grace: .seconds(20))
    #expect(try await next(watched) == .notServing)
    #expect(try await client.health() == .notServing)
    try await expectDraining(client)
    try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(100)) })
    stream.finish()
    var recording = Recording()
    while let response = try await stream.receive() { recording.record(response) }
    #expect(recording.processed.count == AudioFormat.s16.bytes(100))
    #expect(recording.endReason == .clientClosed)
    await stopped
  }

  @Test func reflectionListsTheServices() async throws {
    try await TestServer.run { server in
      let call = server.channel.call(
        Method(
          service: "grpc.reflection.v1alpha.ServerReflection", name: "ServerReflectionInfo"),
        timeout: .seconds(5))
      try await call.send([0x3a, 1, UInt8(ascii: "*")])  // list_services: "*"
      let services = String(decoding: try await call.receive() ?? [], as: UTF8.self)
      #expect(services.contains(RPC.voiceProcessing) && services.contains(RPC.health))
      try await call.send([0x22, UInt8(RPC.voiceProcessing.utf8.count)] + RPC.voiceProcessing.utf8)
      let file = String(decoding: try await call.receive() ?? [], as: UTF8.self)
      #expect(file.contains("anechoic/v1/voice_processing.proto") && file.contains("FrameInfo"))
      call.halfClose()
      #expect(try await call.receive() == nil)
    }
  }

  @Test func anUnknownMethodIsUnimplemented() async throws {
    try await TestServer.run { server in
      for service in [RPC.voiceProcessing, RPC.sessions] {
        let refusal = await #expect(throws: Status.self) {
          try await server.channel.unary(
            Method(service: service, name: "NoSuchMethod"), [], timeout: .seconds(5))
        }
        #expect(refusal?.code == .unimplemented)
      }
    }
  }

  @Test(arguments: ["127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x", "127.0.0.1:", "unix:", "", "x"])
  func anInvalidAddressIsRefused(address: String) async throws {
    await expectRefusal(of: address)
  }

  @Test func aSocketInUseIsRefusedAndItsServerContinues() async throws {
    try await withUnixSocket { address in
      try await TestServer.run {
        $0.addresses = [address]
      } _: { server in
        await expectRefusal(of: address)
        let status = try await VoiceProcessingClient(server: address).health()
        #expect(status == .serving)
      }
    }
  }

  @Test func aSocketThatACrashLeftBehindIsTakenOver() async throws {
    try await withUnixSocket { address in
      let path = String(address.dropFirst("unix:".count))
      let handle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
      let bound = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      close(handle)
      try #require(bound == 0)
      try await TestServer.run {
        $0.addresses = [address]
      } _: { server in
        let status = try await server.client.health()
        #expect(status == .serving)
      }
    }
  }

  private func expectRefusal(
    of address: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let server: VoiceProcessingServer
    do {
      server = try VoiceProcessingServer(
        ServerConfiguration(
          addresses: [address], threads: 1, engines: .bundled))
    } catch {
      #expect("\(error)".hasPrefix("cannot listen on \(address): "), sourceLocation: sourceLocation)
      return
    }
    await server.stop(grace: .zero)
    Issue.record("listens on \"\(address)\"", sourceLocation: sourceLocation)
  }

  /// Waits for NOT_SERVING, and then for the refusal of sessions.
  private func expectDraining(_ client: VoiceProcessingClient) async throws {
    let limit = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < limit {
      do {
        let stream = try await client.process(.mediaClock())
        stream.cancel()
      } catch let status as Status {
        #expect(status.code == .unavailable)
        #expect(try status.detail(Google_Rpc_ErrorInfo.self)?.reason == "DRAINING")
        #expect(try status.detail(Google_Rpc_RetryInfo.self)?.retryDelay.seconds == 1)
        return
      }
    }
    Issue.record("takes new sessions while it drains")
  }

  private func watch(_ service: String, _ channel: Channel) async throws -> ClientCall {
    try await channel.serverStreaming(
      Method(service: RPC.health, name: RPC.watch),
      Grpc_Health_V1_HealthCheckRequest.with { $0.service = service }.serializedBytes(),
      timeout: .seconds(10))
  }

  private func next(_ call: ClientCall) async throws -> Health.ServingStatus? {
    try await call.receive().map { try Health(serializedBytes: Data($0)).status }
  }
}
