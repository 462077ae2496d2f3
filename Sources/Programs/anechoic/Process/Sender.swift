internal import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceClient

/// The sender of a job's files as the audio of a session. It sends each control and report before
/// the audio to which it applies.
actor Sender {
  private let files: InputFiles
  private let controls: ControlQueue
  private let stop: StopRequest

  /// Creates a sender. `stop` ends the audio before the end of the files.
  init(files: sending InputFiles, controls: ControlQueue, stop: StopRequest) {
    self.files = files
    self.controls = controls
    self.stop = stop
  }

  /// Sends everything and closes the stream. If `isPaced` is true, sends each chunk at its time.
  func run(
    on stream: ResumableStream, framesPerChunk: Int, isPaced: Bool
  ) async throws -> SentLevels {
    do {
      return try await send(on: stream, framesPerChunk: framesPerChunk, isPaced: isPaced)
    } catch {
      stream.cancel()
      throw error
    }
  }

  private func send(
    on stream: ResumableStream, framesPerChunk: Int, isPaced: Bool
  ) async throws -> SentLevels {
    let start = ContinuousClock.now
    let chunkSamples = framesPerChunk * files.microphoneFormat.rate.samplesPerFrame
    var chunks = 0
    while !stop.isSet, var audio = try files.read(frames: framesPerChunk) {
      if controls.hasPoses {
        audio.microphone.deviceTimeNs = Int64(chunks * framesPerChunk) * 10_000_000
      }
      if isPaced {
        let due = start + .milliseconds(10 * framesPerChunk * chunks)
        try await Task.sleep(until: due, clock: .continuous)
      }
      chunks += 1
      try await sendControls(before: Int64(chunks * chunkSamples), on: stream)
      try await stream.send(audio)
    }
    // The server refuses controls for samples after the end, and the receiver reports the refusals.
    if !stop.isSet { try await sendControls(before: .max, on: stream) }
    stream.finish()
    return files.levels
  }

  private func sendControls(before sample: Int64, on stream: ResumableStream) async throws {
    for request in controls.pop(before: sample) {
      switch request {
      case .control(let control): try await stream.send(control)
      case .deviceReport(let report): try await stream.send(report)
      case .headPose(let pose): try await stream.send(pose)
      }
    }
  }
}

/// A request to end the audio of a job. Any thread can set it.
final class StopRequest: Sendable {
  private let value = Atomic(false)
  private let lastAnswer = Mutex(ContinuousClock.now)

  var isSet: Bool { value.load(ordering: .relaxed) }
  /// The time since the last answer of the server.
  var silence: Duration { .now - lastAnswer.withLock { $0 } }

  func set() { value.store(true, ordering: .relaxed) }
  func answered() { lastAnswer.withLock { $0 = .now } }
}
