public import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf
public import VoiceSessions

extension Anechoic_V1_EchoPath {
  public init(_ path: EchoPath) {
    self.init()
    sampleRateHz = UInt32(path.rate.hertz)
    channelCount = UInt32(path.channelCount)
    lag = Google_Protobuf_Duration(path.lag)
    held = Google_Protobuf_Duration(path.held)
    response = path.responses.map { Float16($0).bitPattern.littleEndian }
      .withUnsafeBytes { Data($0) }
  }
}

extension EchoPath {
  private static let longestLag = Duration.seconds(1)

  /// Converts an echo path. Throws for one that no session can have told.
  init(_ path: Anechoic_V1_EchoPath, path field: String) throws(InvalidField) {
    guard let rate = SampleRate.allCases.first(where: { $0.hertz == Int(path.sampleRateHz) }) else {
      throw InvalidField("\(field).sample_rate_hz", "\(path.sampleRateHz) is not supported")
    }
    guard (1...2).contains(path.channelCount) else {
      throw InvalidField("\(field).channel_count", "must be 1 or 2")
    }
    let lag = try Self.time(path.lag, "\(field).lag")
    let held = try Self.time(path.held, "\(field).held")
    guard path.response.count <= RequestSize.largestResponse,
      path.response.count.isMultiple(of: 2)
    else {
      throw InvalidField("\(field).response", "must have at most 192 KiB of 16-bit floats")
    }
    let responses = path.response.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 2).map { offset in
        let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        return Float(Float16(bitPattern: UInt16(littleEndian: bits)))
      }
    }
    guard responses.allSatisfy({ $0.isFinite }) else {
      throw InvalidField("\(field).response", "has values that are not finite numbers")
    }
    self.init(
      rate: rate, channelCount: Int(path.channelCount), lag: lag, held: held,
      responses: responses)
  }

  private static func time(
    _ duration: Google_Protobuf_Duration, _ field: String
  ) throws(InvalidField) -> Duration {
    let time = try Duration(duration, path: field)
    guard (.zero...longestLag).contains(time) else {
      throw InvalidField(field, "must be 0 to 1 s")
    }
    return time
  }
}
