internal import AnechoicAPI
internal import Foundation
internal import LinuxSystem
internal import SwiftProtobuf
internal import VoiceSessions

/// The digests of a session's outputs: one after each second of audio, and one at any time.
final class OutputHasher {
  private static let framesPerDigest = 100

  private let processed = SHA256()
  private let playback = SHA256()
  private let recognizer = SHA256()
  private let raw = SHA256()
  /// Whether the session has these outputs.
  private var has = (recognizer: false, raw: false)
  private var samples: Int64 = 0
  private var framesSinceDigest = 0
  /// The number of frames of 10 ms so far.
  private(set) var frames = 0

  /// Adds a chunk. Returns the digest of all output so far if at least one second of audio has been
  /// added since the last digest, otherwise nil.
  func add(_ chunk: OutputChunk) -> Anechoic_V1_OutputDigest? {
    processed.update(chunk.processed.bytes)
    if let samples = chunk.playback { playback.update(samples.bytes) }
    if let samples = chunk.recognizer {
      has.recognizer = true
      recognizer.update(samples.bytes)
    }
    if let samples = chunk.raw {
      has.raw = true
      raw.update(samples.bytes)
    }
    samples += Int64(chunk.processed.sampleCount)
    frames += chunk.frames.count
    framesSinceDigest += chunk.frames.count
    guard framesSinceDigest >= Self.framesPerDigest else { return nil }
    framesSinceDigest = 0
    return digest
  }

  /// The digest of all output so far.
  var digest: Anechoic_V1_OutputDigest {
    .with {
      $0.processedSamples = samples
      $0.processedSha256 = Data(processed.value)
      $0.playbackSha256 = Data(playback.value)
      if has.recognizer { $0.recognizerSha256 = Data(recognizer.value) }
      if has.raw { $0.rawSha256 = Data(raw.value) }
    }
  }
}
