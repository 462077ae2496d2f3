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
  /// The files of a session's outputs. Nil for an output that the session does not have.
  struct Files {
    let output: AudioFileWriter
    let playback: AudioFileWriter?
    let recognizer: AudioFileWriter?
    let raw: AudioFileWriter?
    /// The files for what the session learns.
    let echoPath: LearntFile<Anechoic_V1_EchoPath>?
    let voiceprint: LearntFile<Anechoic_V1_Voiceprint>?
  }

  private var output: OutputTrack
  private var playback: OutputTrack?
  private var recognizer: OutputTrack?
  private var raw: OutputTrack?
  private var echoPath: LearntFile<Anechoic_V1_EchoPath>?
  private var voiceprint: LearntFile<Anechoic_V1_Voiceprint>?
  private let log: any JobLog
  private let inputLevels: InputFiles.RecentLevelsOfInputs
  private let controls: ControlQueue
  private let injectionPolicy: InjectionPolicy
  private let stop: StopRequest
  private let progress: ProgressBar
  private var meter: LevelMeter
  private var findings = JobFindings()
  /// The lines of the file of controls that were refused.
  private var refusedLines: [UInt64] = []
  /// The number of refused controls, and the number of them that are shown.
  private var refusalCount = 0
  private static let shownRefusals = 10

  init(
    _ files: Files, isOpus: Bool, log: any JobLog,
    inputLevels: InputFiles.RecentLevelsOfInputs, controls: ControlQueue,
    injectionPolicy: InjectionPolicy, progress: ProgressBar, length: Int?, stop: StopRequest
  ) {
    self.stop = stop
    let rate = files.output.format.rate
    func track(_ file: AudioFileWriter) -> OutputTrack {
      OutputTrack(
        file, isOpus: isOpus, length: length.map { rate.convert($0, to: file.format.rate) })
    }
    output = track(files.output)
    playback = files.playback.map(track)
    recognizer = files.recognizer.map(track)
    raw = files.raw.map(track)
    echoPath = files.echoPath
    voiceprint = files.voiceprint
    self.log = log
    self.inputLevels = inputLevels
    self.controls = controls
    self.injectionPolicy = injectionPolicy
    self.progress = progress
    meter = LevelMeter(files.output.format)
  }

  /// Receives until the session has ended, and completes the log.
  mutating func run(on stream: ResumableStream) async throws -> JobFindings {
    defer { progress.clear() }
    do { try await receive(from: stream) } catch {
      // The log keeps what was received, and the error is the one to report.
      try? log.finish()
      throw error
    }
    try log.finish()
    if refusalCount > Self.shownRefusals {
      say("\(refusalCount - Self.shownRefusals) more controls were refused")
    }
    findings.problems =
      [controls.problem(refused: refusedLines), echoPath?.problem, voiceprint?.problem]
      .compactMap(\.self)
    findings.endSpeech(at: Int64(output.file.sampleCount))
    findings.levels = meter.meanSquares
    return findings
  }

  private mutating func receive(from stream: ResumableStream) async throws {
    while let update = try await stream.receive() {
      stop.answered()
      switch update {
      case .response(let response): try accept(response)
      case .reconnecting(let status): say("the connection was lost: \(status); reconnecting")
      case .resumed(let resumed): say(Self.words(resumed))
      case .restarted(let started, let sample, let lost, let reason):
        findings.endSpeech(at: sample)
        say(
          "\(started.session) is new and starts at sample \(sample), because: \(reason); \(lost) samples "
            + "of the microphone are lost")
      }
    }
  }

  private mutating func accept(_ response: Anechoic_V1_ProcessResponse) throws {
    switch response.response {
    case .audio(let audio): try accept(audio)
    case .event(let event): try accept(event)
    case .stats(let stats): try log.record(stats)
    case .controlResult(let result): try accept(result)
    case .echoPath(let path): try echoPath?.write(path)
    case .voiceprint(let learnt): try voiceprint?.write(learnt)
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

  private mutating func accept(_ audio: Anechoic_V1_AudioOutput) throws {
    let samples = try output.write(audio.processed)
    try playback?.write(audio.playback)
    try recognizer?.write(audio.recognizer)
    try raw?.write(audio.raw)
    let levels = meter.append(samples)
    let samplesPerFrame = Int64(output.file.format.rate.samplesPerFrame)
    for (index, frame) in audio.frames.enumerated() {
      let first = audio.processed.firstSample + Int64(index) * samplesPerFrame
      let place = Int(clamping: first / samplesPerFrame)
      try log.record(
        JobFrame(
          findings: frame, firstSample: first, microphone: inputLevels.microphone[place],
          played: inputLevels.played?[place],
          processed: index < levels.count ? levels[index] : nil))
      findings.accept(frame)
    }
    progress.show(output.file.sampleCount)
  }

  private mutating func accept(_ event: Anechoic_V1_SessionEvent) throws {
    try log.record(event)
    findings.accept(event)
    if case .injectionPermissionChanged(let change) = event.event {
      return injectionPolicy.changed(change)
    }
    guard case .injectionPermissionRequested(let request) = event.event else { return }
    progress.clear()
    injectionPolicy.decide(request)
    // The progress bar would overwrite the question.
    if injectionPolicy.asks { progress.end() }
  }

  private mutating func accept(_ result: Anechoic_V1_ControlResult) throws {
    try log.record(result)
    guard result.hasRefusal else { return }
    if controls.isInFile(result.controlID) { refusedLines.append(result.controlID) }
    refusalCount += 1
    guard refusalCount <= Self.shownRefusals else { return }
    progress.clear()
    let code = StatusCode(rawValue: result.refusal.code)?.name ?? "\(result.refusal.code)"
    standardError(
      "anechoic: \(controls.origin(of: result.controlID)): refused: \(code): \(result.refusal.message)\n"
    )
  }
}
