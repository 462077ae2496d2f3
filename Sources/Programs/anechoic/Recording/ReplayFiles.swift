internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The files to which a replay writes its outputs and events.
final class ReplayFiles: SessionSink {
  /// The paths of the files, each nil for no file.
  struct Paths {
    var processed: String?
    var playback: String?
    var recognizer: String?
    var raw: String?
    var events: String?

    var all: [String] { [processed, playback, recognizer, raw, events].compactMap(\.self) }
  }

  /// The files that are written, each with the samples that belong into it.
  private var tracks: [(samples: (OutputChunk) -> OutputChunk.Samples?, track: Track)] = []
  private let events: LineFile?
  private var failure: (any Error)?

  init(_ replay: SessionReplay, _ paths: Paths) throws {
    events = try paths.events.map { try LineFile($0) }
    func add(
      _ path: String?, _ name: String, _ format: AudioFormat?,
      _ samples: @escaping (OutputChunk) -> OutputChunk.Samples?
    ) throws {
      guard let path else { return }
      guard let format else {
        throw CommandError("--\(name): the recorded session has no output of this name")
      }
      tracks.append((samples, try Track(path, format)))
    }
    try add(paths.processed, "processed", replay.processed, \.processed)
    try add(paths.playback, "playback", replay.playback, \.playback)
    try add(paths.recognizer, "recognizer", replay.recognizer, \.recognizer)
    try add(paths.raw, "raw", replay.raw, \.raw)
  }

  /// The file of one output.
  private final class Track {
    private let file: AudioFileWriter
    /// Nil for an output that is no Opus.
    private var packets: PacketReader?

    init(_ path: String, _ format: AudioFormat) throws {
      file = try AudioFileWriter(path: path, format: format)
      packets = format.opus.map { _ in PacketReader(format) }
    }

    func write(_ chunk: OutputChunk.Samples) throws {
      let decoded = packets?.samples(Array(chunk.bytes), firstSample: chunk.firstSample)
      try file.write(
        decoded.map { Array($0.prefix(chunk.sampleCount * file.format.bytesPerSampleFrame)) }
          ?? Array(chunk.bytes))
    }
  }

  /// Throws the first error that occurred while the files were written.
  func check() throws {
    if let failure { throw failure }
  }

  func emit(_ chunk: OutputChunk) {
    trying {
      for (samples, track) in tracks {
        if let samples = samples(chunk) { try track.write(samples) }
      }
    }
  }

  func emit(_ event: SessionEvent) {
    guard let events else { return }
    trying {
      var event = Anechoic_V1_SessionEvent(event, time: .init())
      // It would be the time of the replay.
      event.clearTime()
      try events.write(event.jsonLine())
    }
  }

  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}

  private func trying(_ body: () throws -> Void) {
    guard failure == nil else { return }
    do { try body() } catch { failure = error }
  }
}
