internal import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
internal import VoiceClient

/// Sends the files of a job as the audio of a session, and each control and report ahead of the
/// audio that it concerns.
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
      try await sendControls(before: Int64(chunks * chunkSamples), on: stream)
      try await stream.send(audio)
    }
    // What is left is for samples that do not come: the server says so.
    try await sendControls(before: .max, on: stream)
    stream.finish()
    return files.levels
  }

  private func sendControls(before sample: Int64, on stream: ProcessStream) async throws {
    for request in controls.take(before: sample) {
      switch request {
      case .control(let control): try await stream.send(control)
      case .deviceReport(let report): try await stream.send(report)
      }
    }
  }
}
