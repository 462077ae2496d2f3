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
  /// The longest gap in the output, in seconds.
  private static let longestGap = 600

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
  mutating func run(on stream: ResumableStream) async throws -> JobFindings {
    defer { progress.clear() }
    while let update = try await stream.receive() {
      switch update {
      case .response(let response): try take(response)
      case .reconnecting(let status): say("the connection was lost: \(status); reconnecting")
      case .resumed(let resumed): say(Self.words(resumed))
      case .restarted(let started, let sample, let reason):
        say("\(started.session) is new and starts at sample \(sample), because: \(reason)")
      }
    }
    findings.endSpeech(at: Int64(output.sampleCount))
    findings.levels = meter.meanSquares
    return findings
  }

  private mutating func take(_ response: Anechoic_V1_ProcessResponse) throws {
    switch response.response {
    case .audio(let audio): try take(audio)
    case .event(let event): try take(event)
    case .stats(let stats): try logs.note(stats)
    case .controlResult(let result): try take(result)
    case .started, nil: break
    }
  }

  private func say(_ text: String) {
    progress.clear()
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    standardError("anechoic: \(line)\n")
  }

  private static func words(_ resumed: Anechoic_V1_Started.Resumed) -> String {
    "the session goes on; \(resumed.concealedSamples) samples of the microphone were concealed, and "
      + "\(resumed.lostSamples) samples of the output are lost"
  }

  /// Writes silence in place of output that was lost with a connection, up to the sample `first`.
  private func fill(_ file: AudioFileWriter, to first: Int64) throws {
    var missing = Int(clamping: first) - file.sampleCount
    // No server is away for longer: the session would have been given up.
    guard missing <= Self.longestGap * file.format.rate.hertz else { return }
    while missing > 0 {
      let count = min(missing, file.format.rate.hertz)
      try file.write([UInt8](repeating: 0, count: count * file.format.bytesPerSampleFrame))
      missing -= count
    }
  }

  private mutating func take(_ audio: Anechoic_V1_AudioOutput) throws {
    let samples = audio.processed.samples
    try fill(output, to: audio.processed.firstSample)
    if let playback { try fill(playback, to: audio.playback.firstSample) }
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
