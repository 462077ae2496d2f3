internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SessionConversions
internal import SwiftProtobuf
internal import VoiceSessions

extension ServerMethod {
  /// Returns the method that reports the features, the limits and the load of the server.
  static func capabilities(
    _ configuration: ServerConfiguration, _ directory: SessionDirectory
  ) -> ServerMethod {
    .unary(
      Method(service: RPC.voiceProcessing, name: RPC.getCapabilities), lane: .background
    ) { _, context in
      _ = try Principal(context)  // Throws if the name is not allowed.
      let response = Anechoic_V1_GetCapabilitiesResponse.with {
        $0.version = anechoicVersion
        $0.engines = Anechoic_V1_EngineCapabilities.all(configuration.engines)
        $0.sampleRatesHz = SampleRate.allCases.map { UInt32($0.hertz) }
        $0.encodings = SampleEncoding.allCases.map { Anechoic_V1_AudioEncoding($0) }
        $0.micModes = MicMode.allCases.map { Anechoic_V1_MicMode($0) }
        $0.sessionsActive = UInt32(clamping: directory.count)
        $0.sessionsMax = UInt32(clamping: directory.maximum)
        $0.maxMessageBytes = UInt32(clamping: configuration.limits.messageBytes)
      }
      return try response.serializedBytes()
    }
  }
}
