import AnechoicAPI
import AudioCore
import BundledEngines
import SwiftProtobuf
import Testing
import VoiceEngines
import VoiceSessions

@testable import VoiceEdge

/// The voice on this machine, as the voice thread uses it.
struct LocalVoiceTests {
  private final class Routes: LocalVoice.Receiver {
    var last: String?

    func processed(_ frame: borrowing Frame) {}
    func mixed(_ frame: borrowing Frame) {}
    func happened(_ event: SessionEvent) {
      if case .routeChanged(let change) = event.kind { last = change.current?.output?.id }
    }
  }

  @Test func aRouteIsReportedAgainIfTheSessionRefusesIt() throws {
    var configuration = EdgeConfiguration()
    configuration.fallback = .full
    let routes = Routes()
    let local = try LocalVoice(
      configuration, FarEndSlots(configuration), engine: EngineCatalog.bundled.defaultEngine,
      receiver: routes)
    local.isRunning = true
    local.begin(muted: false)
    for index in 1...40 {
      local.use(
        Anechoic_V1_RouteChanged.with {
          $0.reason = .override
          $0.current.output.portID = "port-\(index)"
        })
    }
    #expect(routes.last == "port-20")
    let audio = configuration.audio
    let silence = Frame(rate: audio.rate, channelCount: audio.inputChannels)
    for _ in 0..<20 { local.process(silence, time: nil) }
    #expect(routes.last == "port-40")
  }
}
