internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import SessionRecording
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The files to which a replay writes its outputs and events.
final class ReplayFiles: SessionSink {
  private let processed: AudioFileWriter?
  private let playback: AudioFileWriter?
  private let events: LineFile?
  /// Nil for an output that is no Opus.
  private var processedPackets: PacketReader?
  private var playbackPackets: PacketReader?
  private var failure: (any Error)?

  init(
    _ replay: SessionReplay, processed: String?, playback: String?, events: String?
  ) throws {
    self.processed = try processed.map {
      try AudioFileWriter(path: $0, format: replay.processed)
    }
    if let playback {
      guard let format = replay.playback else {
        throw CommandFailure("--playback: the recorded session has no playback")
      }
      self.playback = try AudioFileWriter(path: playback, format: format)
    } else {
      self.playback = nil
    }
    self.events = try events.map { try LineFile($0) }
    processedPackets = replay.processed.opus.map { _ in PacketReader(replay.processed) }
    playbackPackets = replay.playback.flatMap { $0.opus == nil ? nil : PacketReader($0) }
  }

  /// Throws the first error that occurred while the files were written.
  func check() throws {
    if let failure { throw failure }
  }

  func emit(_ chunk: OutputChunk) {
    trying {
      if let processed {
        try processed.write(Self.samples(chunk.processed, processed.format, &processedPackets))
      }
      if let playback, let samples = chunk.playback {
        try playback.write(Self.samples(samples, playback.format, &playbackPackets))
      }
    }
  }

  private static func samples(
    _ chunk: OutputChunk.Samples, _ format: AudioFormat, _ packets: inout PacketReader?
  ) -> [UInt8] {
    let decoded = packets?.samples(Array(chunk.bytes), firstSample: chunk.firstSample)
    guard let decoded else { return Array(chunk.bytes) }
    return Array(decoded.prefix(chunk.sampleCount * format.bytesPerSampleFrame))
  }

  func emit(_ event: SessionEvent) {
    guard let events else { return }
    trying {
      // The time is left out, because it would be the time of the replay.
      try events.write(Anechoic_V1_SessionEvent(event, time: .init()).jsonLine())
    }
  }

  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}

  private func trying(_ body: () throws -> Void) {
    guard failure == nil else { return }
    do { try body() } catch { failure = error }
  }
}
