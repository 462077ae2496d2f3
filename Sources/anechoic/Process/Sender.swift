internal import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
internal import VoiceClient

/// Sends the files of a job as the audio of a session, and each control ahead of the audio that it
/// concerns.
actor Sender {
  private let files: InputFiles
  private let controls: ControlQueue

  init(files: sending InputFiles, controls: ControlQueue) {
    self.files = files
    self.controls = controls
  }

  /// Sends everything and closes. `isPaced` sends each chunk when its time has come, not before.
  func run(
    on stream: ProcessStream, framesPerChunk: Int, isPaced: Bool
  ) async throws -> SentLevels {
    do {
      return try await send(on: stream, framesPerChunk: framesPerChunk, isPaced: isPaced)
    } catch {
      stream.cancel()
      throw error
    }
  }

  private func send(
    on stream: ProcessStream, framesPerChunk: Int, isPaced: Bool
  ) async throws -> SentLevels {
    let start = ContinuousClock.now
    let chunkSamples = framesPerChunk * files.microphoneFormat.rate.samplesPerFrame
    var chunks = 0
    while let audio = try files.read(frames: framesPerChunk) {
      if isPaced {
        let due = start + .milliseconds(10 * framesPerChunk * chunks)
        try await Task.sleep(until: due, clock: .continuous)
      }
      chunks += 1
      for control in controls.take(before: Int64(chunks * chunkSamples)) {
        try await stream.send(control)
      }
      try await stream.send(audio)
    }
    // What is left is for samples that do not come: the server says so.
    for control in controls.take(before: .max) { try await stream.send(control) }
    stream.finish()
    return files.levels
  }
}
