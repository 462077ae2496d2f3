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
  private let outputPath: String
  private let logPaths: JobLogs.Paths

  /// Opens the files that are read. Those that are written are left as they are until there is
  /// something to write.
  init(microphone: String, reference: String?, output: String, logs: JobLogs.Paths) throws {
    sender = try Sender(microphone: microphone, reference: reference)
    outputPath = output
    logPaths = logs
  }

  /// Sends and receives side by side until the session has ended. `connected` is called once the
  /// server has answered.
  func run(
    on client: VoiceProcessingClient, _ start: Anechoic_V1_Start, connected: () -> Void
  ) async throws -> JobSummary {
    let isPaced = start.pacing == .realTime
    let framesPerChunk = isPaced ? 1 : 10
    let began = ContinuousClock.now
    let stream = try await client.process(completed(start, framesPerChunk: framesPerChunk))
    connected()
    let output = try AudioFileWriter(path: outputPath, format: sender.microphoneFormat)
    let logs = try JobLogs(logPaths)
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
