import BundledEngines
import GRPCTransport
import Testing

import VoiceEngines
@testable import VoiceServer

struct LaneTests {
  @Test func healthAndCapabilitiesKeepOffTheAudioThreads() {
    let configuration = ServerConfiguration(
      addresses: [], threads: 1, engines: .bundled)
    let methods =
      HealthService(services: []) { false }.methods
      + [
        .capabilities(
          LiveConfiguration(configuration), SessionDirectory(maximum: 1),
          EngineCosts(configuration.engines))
      ]
    #expect(methods.count == 4)
    #expect(methods.allSatisfy { $0.lane == .background })
  }
}
