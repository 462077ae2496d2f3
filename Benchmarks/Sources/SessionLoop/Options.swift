internal import AnechoicEngine
internal import AudioCore
internal import Foundation
internal import PassThroughEngine
internal import VoiceEngines
internal import WebRTCEngine

/// The command line of SessionLoop.
struct Options {
  static let usage = """
    usage: SessionLoop [--rate HZ] [--microphone FILE --reference FILE] [--engine webrtc|anechoic|none]
             [--sessions N [--frames N] [--warm-up N]
             [--kind plain|muted|full|opus|mixed|spatial]]
    """

  struct OptionError: Error, CustomStringConvertible {
    let description: String
  }

  var rate = SampleRate.hz16000
  /// The paths of mono files with 16 bits, whose rate divides `rate`. Nil for noise.
  var microphone: String?
  var reference: String?
  var engine: any VoiceEngine.Type = WebRTCVoiceEngine.self
  /// The number of sessions that take turns, or nil to compare the kinds.
  var sessions: Int?
  var kind = SessionKind.plain
  /// The number of measured frames of each session, and of the frames before.
  var frames = 1000
  var warmUp = 500

  init(_ arguments: ArraySlice<String>) throws(OptionError) {
    var rest = arguments
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else {
        throw OptionError(description: "\(option) needs a value")
      }
      switch option {
      case "--rate": rate = try Self.known(Int(value).flatMap(SampleRate.init), option, value)
      case "--microphone": microphone = value
      case "--reference": reference = value
      case "--engine":
        let engines: [String: any VoiceEngine.Type] = [
          "webrtc": WebRTCVoiceEngine.self, "anechoic": AnechoicVoiceEngine.self,
          "none": PassThroughEngine.self,
        ]
        engine = try Self.known(engines[value], option, value)
      case "--kind": kind = try Self.known(SessionKind(rawValue: value), option, value)
      case "--sessions": sessions = try Self.number(option, value)
      case "--frames": frames = try Self.number(option, value)
      case "--warm-up": warmUp = try Self.number(option, value)
      default: throw OptionError(description: "unknown option \(option)")
      }
    }
  }

  private static func number(_ option: String, _ value: String) throws(OptionError) -> Int {
    try known(Int(value).flatMap { $0 > 0 ? $0 : nil }, option, value)
  }

  private static func known<Value>(
    _ result: Value?, _ option: String, _ value: String
  ) throws(OptionError) -> Value {
    guard let result else { throw OptionError(description: "\(option) does not take \(value)") }
    return result
  }
}
