internal import AudioCore
internal import Foundation
internal import VoiceSessions
internal import WebRTCEngine

/// Processor time of sessions in this process, in turns, so that all of them meet the same noise:
/// prints one JSON object with the microseconds of a frame for each kind of session.
@main
enum Main {
  /// Of a turn of one session, in frames.
  private static let turn = 100
  private static let turns = 60

  static func main() throws {
    let rate = CommandLine.arguments.contains("48000") ? SampleRate.hz48000 : .hz16000
    let kinds = SessionKind.allCases
    let sessions = try kinds.map { try MeasuredSession($0, rate) }
    var times = kinds.map { _ in [Double]() }
    for index in 0..<turns {
      for (kind, session) in sessions.enumerated() {
        let time = try session.run(frames: turn)
        if index >= turns / 4 { times[kind].append(time / Double(turn)) }
      }
    }
    let fields = zip(kinds, times).map { kind, times in
      "\"\(kind.rawValue)_us\":\(String(format: "%.2f", times.sorted()[times.count / 2]))"
    }
    print("{\(fields.joined(separator: ","))}")
  }
}

enum SessionKind: String, CaseIterable {
  /// Microphone and reference, nothing asked for.
  case plain
  /// The same with voice activity, while muted.
  case muted
  /// The same, not muted, with far end and other audio, ducked by who talks, mixed into a playback.
  case full

  func setup(_ rate: SampleRate) -> SessionSetup {
    let format = AudioFormat(encoding: .s16, rate: rate, channelCount: 1)
    var setup = SessionSetup(microphone: format, reference: format)
    guard self != .plain else { return setup }
    setup.configuration.voiceActivity.isEnabled = true
    setup.startsMuted = self == .muted
    guard self == .full else { return setup }
    setup.configuration.voiceActivity.isFarEndEnabled = true
    setup.configuration.ducking.isAdvanced = true
    setup.farEnd = format
    setup.otherAudio = format
    setup.playback = format
    return setup
  }
}
