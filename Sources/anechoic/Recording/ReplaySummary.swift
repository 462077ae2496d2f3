internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SessionRecording

/// What a replay came to.
struct ReplaySummary: Encodable {
  private let session: String
  private let engine: String
  private let recordedEngine: String
  private let frames: Int
  private let sampleRateHz: Int
  private let processedSamples: Int64
  private let processedSha256: String
  /// Nil where there is no playback.
  private let playbackSha256: String?
  private let same: Bool
  /// Of the processed output, as the next.
  private let sameToSample: Int64
  private let differsBySample: Int64?
  private let withheldFromMicrophoneSample: Int64?
  private let microphoneRateHz: Int

  init(_ outcome: SessionReplay.Outcome, _ replay: SessionReplay) {
    session = replay.header.start.sessionID
    engine = outcome.engine
    recordedEngine = replay.header.engine
    frames = outcome.frames
    sampleRateHz = replay.processed.rate.hertz
    processedSamples = outcome.digest.processedSamples
    processedSha256 = Self.hex(outcome.digest.processedSha256)
    playbackSha256 = replay.playback.map { _ in Self.hex(outcome.digest.playbackSha256) }
    same = outcome.differsBy == nil
    sameToSample = outcome.samplesAlike
    differsBySample = outcome.differsBy
    withheldFromMicrophoneSample = outcome.withheldFrom
    microphoneRateHz = replay.microphoneRate.hertz
  }

  /// For people, line by line.
  var text: String {
    var lines = [
      "session         \(session)",
      "length          \(frames) frames, \(Self.seconds(processedSamples, sampleRateHz))",
      "processed       \(processedSha256)",
    ]
    if let playbackSha256 { lines.append("playback        \(playbackSha256)") }
    if let sample = withheldFromMicrophoneSample {
      lines.append(
        "muted           from \(Self.seconds(sample, microphoneRateHz)) on: what was heard then is "
          + "not in the recording")
    }
    let alike = Self.seconds(sameToSample, sampleRateHz)
    if let differsBySample {
      lines.append("DIFFERENT       \(difference(from: alike, by: differsBySample))")
    } else {
      lines.append("same            as recorded, to \(alike)")
    }
    return lines.joined(separator: "\n")
  }

  /// One object on a line, for programs.
  func jsonLine() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  private func difference(from alike: String, by sample: Int64) -> String {
    let place = "between \(alike) and \(Self.seconds(sample, sampleRateHz))"
    // In the times of the two, whose rates need not be the same.
    let mayBeMute = withheldFromMicrophoneSample.map {
      $0 * Int64(sampleRateHz) < sample * Int64(microphoneRateHz)
    }
    guard mayBeMute ?? false else { return place }
    return place + ": the engine has not heard what was muted"
  }

  private static func seconds(_ samples: Int64, _ hertz: Int) -> String {
    String(format: "%.2f s", Double(samples) / Double(hertz))
  }

  private static func hex(_ digest: Data) -> String {
    digest.map { String(format: "%02x", $0) }.joined()
  }
}
