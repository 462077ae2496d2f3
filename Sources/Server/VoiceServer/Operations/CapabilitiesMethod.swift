internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

extension ServerMethod {
  /// Returns the method that reports the features, the limits and the load of the server.
  static func capabilities(
    _ live: LiveConfiguration, _ directory: SessionDirectory, _ costs: EngineCosts
  ) -> ServerMethod {
    .unary(
      Method(service: RPC.voiceProcessing, name: RPC.getCapabilities), lane: .background
    ) { _, _ in
      let times = await costs.all()
      let configuration = live.current
      let response = Anechoic_V1_GetCapabilitiesResponse.with {
        $0.version = anechoicVersion
        $0.engines = Anechoic_V1_EngineCapabilities.all(configuration.engines, frameTimes: times)
        $0.sampleRatesHz = SampleRate.allCases.map { UInt32($0.hertz) }
        $0.encodings = SampleEncoding.allCases.map { Anechoic_V1_AudioEncoding($0) } + [.opus]
        $0.micModes = MicMode.allCases.map { Anechoic_V1_MicMode($0) }
        $0.sessionsActive = UInt32(clamping: directory.count)
        $0.sessionsMax = UInt32(clamping: directory.maximum)
        $0.resumeWindow = Google_Protobuf_Duration(configuration.limits.resumeWindow)
        $0.maxMessageBytes = UInt32(clamping: configuration.limits.messageBytes)
      }
      return try response.serializedBytes()
    }
  }
}
