import GRPCTransport
import Testing

@testable import VoiceServer
import VoiceEngines
import WebRTCEngine

struct LaneTests {
  @Test func healthAndCapabilitiesKeepOffTheAudioThreads() {
    let configuration = ServerConfiguration(
      addresses: [], threads: 1, engines: EngineCatalog(WebRTCVoiceEngine.self))
    let methods =
      HealthService(services: []).methods
      + [.capabilities(configuration, SessionDirectory(maximum: 1))]
    #expect(methods.count == 4)
    #expect(methods.allSatisfy { $0.lane == .background })
  }
}
