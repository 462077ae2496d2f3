internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

/// The receiver of a session's output. It writes the audio to its files, and everything else to the
/// logs.
struct Receiver: ~Copyable {
  private let output: AudioFileWriter
  private let playback: AudioFileWriter?
  private let logs: JobLogs
  private let controls: ControlQueue
  private let injectionPolicy: InjectionPolicy
  private let progress: ProgressBar
  private var meter: LevelMeter
  private var findings = JobFindings()

  init(
    output: AudioFileWriter, playback: AudioFileWriter?, logs: JobLogs, controls: ControlQueue,
    injectionPolicy: InjectionPolicy, progress: ProgressBar
  ) {
    self.output = output
    self.playback = playback
    self.logs = logs
    self.controls = controls
    self.injectionPolicy = injectionPolicy
    self.progress = progress
    meter = LevelMeter(output.format)
  }

  /// Receives until the session has ended.
  mutating func run(on stream: ProcessStream) async throws -> JobFindings {
    defer { progress.clear() }
    while let response = try await stream.receive() {
      switch response.response {
      case .audio(let audio): try take(audio)
      case .event(let event): try take(event)
      case .stats(let stats): try logs.note(stats)
      case .controlResult(let result): try take(result)
      case .started, nil: break
      }
    }
    findings.endSpeech(at: Int64(output.sampleCount))
    findings.levels = meter.meanSquares
    return findings
  }

  private mutating func take(_ audio: Anechoic_V1_AudioOutput) throws {
    let samples = audio.processed.samples
    try output.write(Array(samples))
    try playback?.write(Array(audio.playback.samples))
    meter.append(samples)
    for (index, frame) in audio.frames.enumerated() {
      let offset = index * output.format.rate.samplesPerFrame
      try logs.note(frame, firstSample: audio.processed.firstSample + Int64(offset))
      findings.take(frame)
    }
    progress.show(output.sampleCount)
  }

  private mutating func take(_ event: Anechoic_V1_SessionEvent) throws {
    try logs.note(event)
    findings.take(event)
    guard case .injectionPermissionRequested(let request) = event.event else { return }
    progress.clear()
    injectionPolicy.decide(request)
    // The progress bar would overwrite the question.
    if injectionPolicy.asks { progress.end() }
  }

  private func take(_ result: Anechoic_V1_ControlResult) throws {
    try logs.note(result)
    guard result.hasRefusal else { return }
    progress.clear()
    let code = StatusCode(rawValue: result.refusal.code)?.name ?? "\(result.refusal.code)"
    standardError(
      "anechoic: \(controls.origin(of: result.controlID)): refused: \(code): \(result.refusal.message)\n"
    )
  }
}

/// The files of JSON lines that a job writes besides its audio.
struct JobLogs {
  private let events: LineFile?
  private let statistics: LineFile?
  private let frames: LineFile?

  /// The paths of the files. "-" is standard output. Nil writes nothing.
  struct Paths {
    var events: String?
    var statistics: String?
    var frames: String?
  }

  init(_ paths: Paths) throws {
    events = try paths.events.map { try LineFile($0) }
    statistics = try paths.statistics.map { try LineFile($0) }
    frames = try paths.frames.map { try LineFile($0) }
  }

  func note(_ event: Anechoic_V1_SessionEvent) throws {
    try events?.write(event.jsonLine())
  }

  /// Writes a result in its place among the events, as a line that contains only `controlResult`.
  func note(_ result: Anechoic_V1_ControlResult) throws {
    try events?.write(Anechoic_V1_ProcessResponse.with { $0.controlResult = result }.jsonLine())
  }

  func note(_ stats: Anechoic_V1_SessionStats) throws {
    try statistics?.write(stats.jsonLine())
  }

  /// Writes a frame that begins at the sample `firstSample` of the output.
  func note(_ frame: Anechoic_V1_FrameInfo, firstSample: Int64) throws {
    guard let frames else { return }
    let members = try frame.jsonLine().dropFirst()
    let separator = members == "}" ? "" : ","
    try frames.write("{\"sample\":\(firstSample)\(separator)\(members)")
  }
}
