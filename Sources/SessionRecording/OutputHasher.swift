internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf
internal import VoiceSessions

/// Follows the outputs of a session, and says after each second what they have come to.
final class OutputHasher {
  private static let framesPerDigest = 100

  private let processed = SHA256()
  private let playback = SHA256()
  private let bytesPerSampleFrame: Int
  private var bytes: Int64 = 0
  private var framesSinceDigest = 0
  private(set) var frames = 0

  init(_ setup: SessionSetup) { bytesPerSampleFrame = setup.processed.bytesPerSampleFrame }

  /// Takes in a chunk. Returns a digest where one is due.
  func add(_ chunk: OutputChunk) -> Anechoic_V1_OutputDigest? {
    processed.update(chunk.processed.bytes)
    if let samples = chunk.playback { playback.update(samples.bytes) }
    bytes += Int64(chunk.processed.bytes.count)
    frames += chunk.frames.count
    framesSinceDigest += chunk.frames.count
    guard framesSinceDigest >= Self.framesPerDigest else { return nil }
    framesSinceDigest = 0
    return digest
  }

  var digest: Anechoic_V1_OutputDigest {
    .with {
      $0.processedSamples = bytes / Int64(bytesPerSampleFrame)
      $0.processedSha256 = Data(processed.value)
      $0.playbackSha256 = Data(playback.value)
    }
  }
}
