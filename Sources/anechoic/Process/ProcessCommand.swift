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
      outputs are as long as the microphone.

      Without --server the same server runs inside this command:
        anechoic process --microphone mic.wav --reference loudspeaker.wav \\
          --output voice.wav
        anechoic process --microphone mic.wav --output voice.flac \\
          --mic-mode voice-isolation
        anechoic process --microphone mic.wav --output voice.wav --events - | jq .

      A call with music, whose loudspeaker plays what this writes to played.wav:
        anechoic process --microphone mic.wav --output voice.wav \\
          --far-end caller.wav --other-audio music.wav --playback played.wav \\
          --ducking max --advanced-ducking

      Changes while it runs, each at a time of the microphone and with a field of \
      anechoic.v1.Control in proto3 JSON, one on a line of the file for --controls:
        {"at": 2.5, "set_mute": {"muted": true}}
        {"at": 4, "update_config": {"config": {}, "updateMask": "voiceProcessing"}}
        {"at": 6, "clear_playback": {}}
      or with what became of the devices, an anechoic.v1.DeviceReport:
        {"at": 8, "device_report": {"interruption": {"should_resume": true}}}
      """)

  @OptionGroup(title: "Files") var files: ProcessFiles
  @OptionGroup(title: "Voice") var voice: VoiceOptions
  @OptionGroup(title: "Call") var call: CallOptions
  @OptionGroup var identity: ClientOption

  @Option(help: "media-clock (as fast as it goes) or real-time.")
  var pacing = PacingArgument.mediaClock

  @Option(help: "HOST:PORT or unix:PATH. (default: a server inside this command)")
  var server: String?

  @OptionGroup(title: "Connection") var security: SecurityOptions

  func validate() throws { try security.validate(for: server) }

  func run() async throws {
    do {
      try files.checkRoles()
      let job = try ProcessJob(files, start, grantInjection: grantInjection)
      let name = identity.client.description
      let security = try security.channelSecurity()
      let summary = try await ServerInside.orAt(server) { address, connected in
        try await RecordedSession.record(
          to: files.record,
          by: SessionsClient(server: address, clientName: name, security: security),
          sessionID: job.sessionID
        ) {
          try await job.run(
            on: VoiceProcessingClient(server: address, clientName: name, security: security),
            connected: connected)
        }
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
      voice.apply(to: &start.config)
      call.apply(to: &start)
      // Who records has to know what the session will be called.
      if files.record != nil, start.sessionID.isEmpty { start.sessionID = UUID().uuidString }
      start.pacing = pacing.pacing
      if files.stats != nil { start.statsInterval.seconds = 1 }
    }
  }

  /// Nobody is asked on the terminal whose session takes no injected speech anyway.
  private var grantInjection: GrantInjectionArgument? {
    call.grantInjection ?? (call.injection ? nil : .never)
  }
}
