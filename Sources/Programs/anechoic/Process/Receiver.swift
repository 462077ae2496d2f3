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
  private let log: any JobLog
  private let inputLevels: InputFiles.RecentLevelsOfInputs
  private let controls: ControlQueue
  private let injectionPolicy: InjectionPolicy
  private let progress: ProgressBar
  private var meter: LevelMeter
  /// The number of samples of the output, or nil if it is not known.
  private let length: Int?
  /// Nil if the audio is no Opus.
  private var outputPackets: PacketReader?
  private var playbackPackets: PacketReader?
  private var findings = JobFindings()

  init(
    output: AudioFileWriter, playback: AudioFileWriter?, isOpus: Bool, log: any JobLog,
    inputLevels: InputFiles.RecentLevelsOfInputs, controls: ControlQueue,
    injectionPolicy: InjectionPolicy, progress: ProgressBar, length: Int?
  ) {
    self.output = output
    self.playback = playback
    self.log = log
    self.inputLevels = inputLevels
    self.controls = controls
    self.injectionPolicy = injectionPolicy
    self.progress = progress
    meter = LevelMeter(output.format)
    self.length = length
    outputPackets = isOpus ? PacketReader(output.format) : nil
    playbackPackets = isOpus ? playback.map { PacketReader($0.format) } : nil
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
    findings.endSpeech(at: Int64(output.sampleCount))
    findings.levels = meter.meanSquares
    return findings
  }

  private mutating func receive(from stream: ResumableStream) async throws {
    while let update = try await stream.receive() {
      switch update {
      case .response(let response): try take(response)
      case .reconnecting(let status): say("the connection was lost: \(status); reconnecting")
      case .resumed(let resumed): say(Self.words(resumed))
      case .restarted(let started, let sample, let lost, let reason):
        say(
          "\(started.session) is new and starts at sample \(sample), because: \(reason); \(lost) samples "
            + "of the microphone are lost")
      }
    }
  }

  private mutating func take(_ response: Anechoic_V1_ProcessResponse) throws {
    switch response.response {
    case .audio(let audio): try take(audio)
    case .event(let event): try take(event)
    case .stats(let stats): try log.record(stats)
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
    let samples: [UInt8]
    if let decoded = outputPackets?.samples(of: audio.processed) {
      samples = fitting(decoded, output)
    } else {
      samples = Array(audio.processed.samples)
      try fill(output, to: audio.processed.firstSample)
    }
    try output.write(samples)
    if let playback {
      if let decoded = playbackPackets?.samples(of: audio.playback) {
        try playback.write(fitting(decoded, playback))
      } else {
        try fill(playback, to: audio.playback.firstSample)
        try playback.write(Array(audio.playback.samples))
      }
    }
    let levels = meter.append(samples)
    let samplesPerFrame = Int64(output.format.rate.samplesPerFrame)
    for (index, frame) in audio.frames.enumerated() {
      let first = audio.processed.firstSample + Int64(index) * samplesPerFrame
      let place = Int(clamping: first / samplesPerFrame)
      try log.record(
        JobFrame(
          findings: frame, firstSample: first, microphone: inputLevels.microphone[place],
          played: inputLevels.played?[place],
          processed: index < levels.count ? levels[index] : nil))
      findings.take(frame)
    }
    progress.show(output.sampleCount)
  }

  /// Returns the decoded samples that belong into a file. The last packet of a session may be longer
  /// than the rest of the sound.
  private func fitting(_ samples: [UInt8], _ file: AudioFileWriter) -> [UInt8] {
    guard let length else { return samples }
    let rest = output.format.rate.convert(length, to: file.format.rate) - file.sampleCount
    return Array(samples.prefix(max(0, rest) * file.format.bytesPerSampleFrame))
  }

  private mutating func take(_ event: Anechoic_V1_SessionEvent) throws {
    try log.record(event)
    findings.take(event)
    guard case .injectionPermissionRequested(let request) = event.event else { return }
    progress.clear()
    injectionPolicy.decide(request)
    // The progress bar would overwrite the question.
    if injectionPolicy.asks { progress.end() }
  }

  private func take(_ result: Anechoic_V1_ControlResult) throws {
    try log.record(result)
    guard result.hasRefusal else { return }
    progress.clear()
    let code = StatusCode(rawValue: result.refusal.code)?.name ?? "\(result.refusal.code)"
    standardError(
      "anechoic: \(controls.origin(of: result.controlID)): refused: \(code): \(result.refusal.message)\n"
    )
  }
}
