internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import Foundation
internal import VoiceClient

/// Takes in what a session sends: audio to its file, the rest to the logs.
struct Receiver: ~Copyable {
  /// What was found in the processed audio.
  struct Findings {
    /// Mean squares of frames of 10 ms.
    var levels: [Float] = []
    /// The verdict on each of these frames.
    var voice: [Bool] = []
    /// In samples of the microphone, from where speech began to where it ended.
    var speech: [Range<Int64>] = []
  }

  private let output: AudioFileWriter
  private let logs: JobLogs
  private let progress: ProgressBar
  private var meter: LevelMeter
  private var findings = Findings()
  private var speechBegan: Int64?

  init(output: AudioFileWriter, logs: JobLogs, progress: ProgressBar) {
    self.output = output
    self.logs = logs
    self.progress = progress
    meter = LevelMeter(output.format)
  }

  /// Receives until the session has ended.
  mutating func run(on stream: ProcessStream) async throws -> Findings {
    defer { progress.clear() }
    while let response = try await stream.receive() {
      switch response.response {
      case .audio(let audio): try take(audio)
      case .event(let event): try take(event)
      case .stats(let stats): try logs.note(stats)
      case .started, .controlResult, nil: break
      }
    }
    if let speechBegan { findings.speech.append(speechBegan..<Int64(output.sampleCount)) }
    findings.levels = meter.meanSquares
    return findings
  }

  private mutating func take(_ audio: Anechoic_V1_AudioOutput) throws {
    let samples = audio.processed.samples
    try output.write(Array(samples))
    meter.append(samples)
    for (index, frame) in audio.frames.enumerated() {
      let offset = index * output.format.rate.samplesPerFrame
      try logs.note(frame, firstSample: audio.processed.firstSample + Int64(offset))
      findings.voice.append(frame.voice)
    }
    progress.show(output.sampleCount)
  }

  private mutating func take(_ event: Anechoic_V1_SessionEvent) throws {
    try logs.note(event)
    guard case .voiceActivityChanged(let change) = event.event else { return }
    if change.active {
      speechBegan = change.beganAtSample
    } else if let began = speechBegan.take() {
      findings.speech.append(began..<max(began, change.beganAtSample))
    }
  }
}
