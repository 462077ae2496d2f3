internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf
internal import VoiceClient

/// One recording through one session.
final class ProcessJob {
  private let sender: Sender
  private let output: AudioFileWriter
  private let logs: JobLogs

  /// Opens every file, so that nothing is begun that cannot be finished.
  init(microphone: String, reference: String?, output: String, logs: JobLogs) throws {
    sender = try Sender(microphone: microphone, reference: reference)
    self.output = try AudioFileWriter(path: output, format: sender.microphoneFormat)
    self.logs = logs
  }

  /// Sends and receives side by side until the session has ended.
  func run(
    on client: VoiceProcessingClient, _ start: Anechoic_V1_Start
  ) async throws -> JobSummary {
    let isPaced = start.pacing == .realTime
    let framesPerChunk = isPaced ? 1 : 10
    let began = ContinuousClock.now
    let stream = try await client.process(completed(start, framesPerChunk: framesPerChunk))
    let sender = sender
    async let sending = sender.run(on: stream, framesPerChunk: framesPerChunk, isPaced: isPaced)
    var receiver = Receiver(
      output: output, logs: logs, progress: ProgressBar(total: sender.sampleCount))
    let found: Receiver.Findings
    do {
      found = try await receiver.run(on: stream)
    } catch {
      stream.cancel()
      // A file that could not be read on is why the session ended, and not that it was cancelled.
      do { _ = try await sending } catch let cause as AudioFileError { throw cause } catch {}
      throw error
    }
    return JobSummary(
      try await sending, found, sampleCount: output.sampleCount, rate: output.format.rate,
      algorithmicDelay: stream.algorithmicDelay,
      took: ContinuousClock.now - began)
  }

  /// The start with the formats of the files.
  private func completed(_ start: Anechoic_V1_Start, framesPerChunk: Int) -> Anechoic_V1_Start {
    var start = start
    start.inputs.microphone = Anechoic_V1_AudioFormat(sender.microphoneFormat)
    if let reference = sender.referenceFormat {
      start.inputs.reference = Anechoic_V1_AudioFormat(reference)
    }
    start.outputs.chunkDuration.nanos = Int32(framesPerChunk) * 10_000_000
    return start
  }
}
