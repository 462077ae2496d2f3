internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import Foundation
internal import VoiceClient

/// Sends the files of a job as the audio of a session.
actor Sender {
  /// The power of what was sent, mean squares of frames of 10 ms.
  struct Levels: Sendable {
    var microphone: [Float]
    /// Nil without a reference.
    var reference: [Float]?
  }

  nonisolated let microphoneFormat: AudioFormat
  nonisolated let referenceFormat: AudioFormat?
  nonisolated let sampleCount: Int
  private let microphone: AudioFileReader
  private let reference: AudioFileReader?

  init(microphone: String, reference: String?) throws {
    self.microphone = try AudioFileReader(path: microphone)
    self.reference = try reference.map { try AudioFileReader(path: $0) }
    microphoneFormat = self.microphone.format
    referenceFormat = self.reference?.format
    sampleCount = self.microphone.sampleCount
  }

  /// Sends everything and closes. `isPaced` sends each chunk when its time has come, not before.
  func run(
    on stream: ProcessStream, framesPerChunk: Int, isPaced: Bool
  ) async throws -> Levels {
    do {
      return try await send(on: stream, framesPerChunk: framesPerChunk, isPaced: isPaced)
    } catch {
      stream.cancel()
      throw error
    }
  }

  private func send(
    on stream: ProcessStream, framesPerChunk: Int, isPaced: Bool
  ) async throws -> Levels {
    var microphoneMeter = LevelMeter(microphoneFormat)
    var referenceMeter = referenceFormat.map { LevelMeter($0) }
    let start = ContinuousClock.now
    var chunks = 0
    while true {
      let samples = try microphone.read(
        samples: framesPerChunk * microphoneFormat.rate.samplesPerFrame)
      guard !samples.isEmpty else { break }
      var audio = Anechoic_V1_AudioInput()
      audio.microphone.samples = Data(samples)
      microphoneMeter.append(samples)
      if let reference {
        let samples = try reference.readPadded(
          samples: framesPerChunk * reference.format.rate.samplesPerFrame)
        audio.reference.samples = Data(samples)
        referenceMeter?.append(samples)
      }
      if isPaced {
        let due = start + .milliseconds(10 * framesPerChunk * chunks)
        try await Task.sleep(until: due, clock: .continuous)
      }
      try await stream.send(audio)
      chunks += 1
    }
    stream.finish()
    return Levels(
      microphone: microphoneMeter.meanSquares, reference: referenceMeter?.meanSquares)
  }
}

extension AudioFileReader {
  /// The next samples, with silence after the end of the file.
  fileprivate func readPadded(samples count: Int) throws(AudioFileError) -> [UInt8] {
    var bytes = try read(samples: count)
    let missing = count * format.bytesPerSampleFrame - bytes.count
    bytes.append(contentsOf: repeatElement(0, count: missing))
    return bytes
  }
}
