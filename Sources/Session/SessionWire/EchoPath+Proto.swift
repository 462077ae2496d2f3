public import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
public import VoiceSessions

extension Anechoic_V1_EchoPath {
  public init(_ path: EchoPath) {
    self.init()
    sampleRateHz = UInt32(path.rate.hertz)
    channelCount = UInt32(path.channelCount)
    lag = Google_Protobuf_Duration(path.lag)
    held = Google_Protobuf_Duration(path.held)
    response = HalfFloats.data(path.responses)
  }
}

extension EchoPath {
  /// Converts an echo path. Throws for one that no session can have told.
  init(_ path: Anechoic_V1_EchoPath, path field: String) throws(InvalidFieldError) {
    guard let rate = SampleRate.allCases.first(where: { $0.hertz == Int(path.sampleRateHz) }) else {
      throw InvalidFieldError("\(field).sample_rate_hz", "\(path.sampleRateHz) is not supported")
    }
    guard (1...2).contains(path.channelCount) else {
      throw InvalidFieldError("\(field).channel_count", "must be 1 or 2")
    }
    let lag = try Self.time(path.lag, "\(field).lag")
    let held = try Self.time(path.held, "\(field).held")
    let responses = try HalfFloats.values(
      path.response, atMost: RequestSize.largestResponse, path: "\(field).response")
    self.init(
      rate: rate, channelCount: Int(path.channelCount), lag: lag, held: held,
      responses: responses)
  }

  private static func time(
    _ duration: Google_Protobuf_Duration, _ field: String
  ) throws(InvalidFieldError) -> Duration {
    let time = try Duration(duration, path: field)
    guard times.contains(time) else {
      throw InvalidFieldError(field, "must be 0 to 1 s")
    }
    return time
  }
}
