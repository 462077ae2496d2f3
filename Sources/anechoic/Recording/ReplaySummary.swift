internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import VoiceServer

/// What a replay came to, for people.
struct ReplaySummary {
  let text: String

  init(_ outcome: SessionReplay.Outcome, _ replay: SessionReplay) {
    func seconds(_ samples: Int64, _ rate: SampleRate) -> String {
      String(format: "%.2f s", Double(samples) / Double(rate.hertz))
    }
    let rate = replay.processed.rate
    var lines = [
      "session         \(replay.header.start.sessionID)",
      "length          \(seconds(outcome.digest.processedSamples, rate))",
      "processed       \(Self.hex(outcome.digest.processedSha256))",
    ]
    if replay.playback != nil {
      lines.append("playback        \(Self.hex(outcome.digest.playbackSha256))")
    }
    if let sample = outcome.withheldFrom {
      let time = seconds(sample, replay.microphoneRate)
      lines.append("muted           from \(time) on: what was heard then is not in the recording")
    }
    if !outcome.hasSameEngine {
      lines.append("engine          \(outcome.engine), and not \(replay.header.engine)")
    }
    if let sample = outcome.differsBy {
      lines.append(
        "DIFFERENT       between \(seconds(outcome.samplesAlike, rate)) and \(seconds(sample, rate))"
      )
    } else {
      lines.append("same            to \(seconds(outcome.samplesAlike, rate))")
    }
    text = lines.map { $0 + "\n" }.joined()
  }

  private static func hex(_ digest: Data) -> String {
    digest.map { String(format: "%02x", $0) }.joined()
  }
}
