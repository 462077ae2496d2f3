internal import AnechoicAPI
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import SessionConversions
internal import SwiftProtobuf
internal import SessionRecording
internal import VoiceSessions

/// The files to which a replay writes its outputs and events.
final class ReplayFiles: SessionSink {
  private let processed: AudioFileWriter?
  private let playback: AudioFileWriter?
  private let events: LineFile?
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
  }

  /// Throws the first error that occurred while the files were written.
  func check() throws {
    if let failure { throw failure }
  }

  func emit(_ chunk: OutputChunk) {
    trying {
      try processed?.write([UInt8](chunk.processed.bytes))
      if let samples = chunk.playback { try playback?.write([UInt8](samples.bytes)) }
    }
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
