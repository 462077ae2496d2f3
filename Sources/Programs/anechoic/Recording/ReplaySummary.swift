internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SessionWire
internal import VoiceEngines

/// The result of a replay.
struct ReplaySummary: Encodable {
  private let session: String
  private let engine: String
  private let recordedEngine: String
  private let frames: Int
  private let sampleRateHz: Int
  private let processedSamples: Int64
  private let processedSha256: String
  /// The digest of the playback. Nil if there is no playback.
  private let playbackSha256: String?
  /// The digests of these outputs. Nil for an output that the session does not have.
  private let recognizerSha256: String?
  private let rawSha256: String?
  private let same: Bool
  /// The number of samples of the processed output up to which the replay is the same as recorded.
  private let sameToSample: Int64
  private let differsBySample: Int64?
  private let withheldFromMicrophoneSample: Int64?
  private let microphoneRateHz: Int
  private let sameHeadResponses: Bool
  private let sameTurnWeights: Bool

  init(_ outcome: SessionReplay.Outcome, _ replay: SessionReplay) {
    session = replay.header.start.sessionID
    engine = outcome.engine.description
    recordedEngine = replay.recordedEngine.description
    frames = outcome.frames
    sampleRateHz = replay.processed.rate.hertz
    processedSamples = outcome.digest.processedSamples
    processedSha256 = Self.hex(outcome.digest.processedSha256)
    playbackSha256 = replay.playback.map { _ in Self.hex(outcome.digest.playbackSha256) }
    recognizerSha256 = replay.recognizer.map { _ in Self.hex(outcome.digest.recognizerSha256) }
    rawSha256 = replay.raw.map { _ in Self.hex(outcome.digest.rawSha256) }
    same = outcome.differsBy == nil
    sameToSample = outcome.samplesAlike
    differsBySample = outcome.differsBy
    withheldFromMicrophoneSample = outcome.withheldFrom
    microphoneRateHz = replay.microphoneRate.hertz
    sameHeadResponses = outcome.hasSameHeadResponses
    sameTurnWeights = outcome.hasSameTurnWeights
  }

  /// The result as lines of text for people.
  var text: String {
    var lines = [
      "session         \(session)",
      "length          \(frames) frames, \(Self.seconds(processedSamples, sampleRateHz))",
      "processed       \(processedSha256)",
    ]
    if let playbackSha256 { lines.append("playback        \(playbackSha256)") }
    if let recognizerSha256 { lines.append("recognizer      \(recognizerSha256)") }
    if let rawSha256 { lines.append("raw             \(rawSha256)") }
    if let sample = withheldFromMicrophoneSample {
      lines.append(
        "muted           from \(Self.seconds(sample, microphoneRateHz)) on; the muted audio is "
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

  /// Returns the result as one line of JSON.
  func jsonLine() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  private func difference(from alike: String, by sample: Int64) -> String {
    let place = "between \(alike) and \(Self.seconds(sample, sampleRateHz))"
    // The two positions are compared as times, as their sample rates may differ.
    let mayBeMute = withheldFromMicrophoneSample.map {
      $0 * Int64(sampleRateHz) < sample * Int64(microphoneRateHz)
    }
    guard mayBeMute ?? false else { return place }
    return place + ": the engine did not hear the muted audio"
  }

  private static func seconds(_ samples: Int64, _ hertz: Int) -> String {
    String(format: "%.2f s", Double(samples) / Double(hertz))
  }

  private static func hex(_ digest: Data) -> String {
    digest.map { String(format: "%02x", $0) }.joined()
  }
}
