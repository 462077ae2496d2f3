internal import AnechoicAPI
internal import ArgumentParser
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

struct ProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Process a recording of a microphone.",
    discussion: """
      Files may be WAV, FLAC or Ogg, of 1 or 2 channels, at 8, 16, 24, 32, 44.1 or 48 kHz. The \
      output is as long as the microphone.

      Without --server the same server runs inside this command:
        anechoic process --microphone mic.wav --reference loudspeaker.wav --output voice.wav
        anechoic process --microphone mic.wav --output voice.flac --mic-mode voice-isolation
        anechoic process --microphone mic.wav --output voice.wav --events - | jq .
      """)

  @Option(help: ArgumentHelp("What the microphone heard.", valueName: "file"))
  var microphone: String

  @Option(help: ArgumentHelp("What the loudspeaker played meanwhile.", valueName: "file"))
  var reference: String?

  @Option(help: ArgumentHelp("Where the processed voice goes.", valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp("Where events go, as JSON lines; - for standard output.", valueName: "file"))
  var events: String?

  @Option(help: ArgumentHelp("Where statistics go, one JSON line a second.", valueName: "file"))
  var stats: String?

  @Option(help: ArgumentHelp("Where a JSON line for every 10 ms goes.", valueName: "file"))
  var frames: String?

  @Option(help: "standard, voice-isolation or wide-spectrum.")
  var micMode = MicModeArgument.standard

  @Flag(help: "Leave the echo in.")
  var noEchoCancellation = false

  @Option(help: "off, low, moderate, high or very-high. (default: as the mic mode)")
  var noiseSuppression: NoiseSuppressionArgument?

  @Option(help: "on or off. (default: as the mic mode)")
  var gainControl: SwitchArgument?

  @Option(help: "media-clock (as fast as it goes) or real-time.")
  var pacing = PacingArgument.mediaClock

  @Option(help: "HOST:PORT or unix:PATH. (default: a server inside this command)")
  var server: String?

  func run() async throws {
    do {
      try FileRoles.check(
        read: [microphone, reference].compactMap { $0 },
        written: [output, events, stats, frames].compactMap { $0 })
      let job = try ProcessJob(
        microphone: microphone, reference: reference, output: output,
        logs: JobLogs.Paths(events: events, statistics: stats, frames: frames))
      let summary = try await ServerInside.orAt(server) { address, connected in
        try await job.run(
          on: VoiceProcessingClient(server: address), start, connected: connected)
      }
      standardError(summary.text)
    } catch let error as AudioFileError {
      throw CommandFailure(error.description)
    } catch let status as Status {
      throw server.map { CommandFailure(status, server: $0) } ?? CommandFailure("\(status)")
    }
  }

  /// What the options ask for; the formats come from the files.
  private var start: Anechoic_V1_Start {
    .with { start in
      start.config.preferredMicMode = micMode.mode
      start.config.voiceActivityDetection.enabled = true
      if noEchoCancellation {
        start.config.voiceProcessing.echoCancellation.enabled = false
      }
      if let level = noiseSuppression {
        start.config.voiceProcessing.noiseSuppression = level.stage
      }
      if let gainControl {
        start.config.voiceProcessing.gainControl.enabled = gainControl == .on
      }
      start.pacing = pacing.pacing
      if stats != nil { start.statsInterval.seconds = 1 }
    }
  }
}
