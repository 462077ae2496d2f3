internal import AnechoicAPI
internal import ArgumentParser
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

struct ProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Process a recording of a microphone.",
    discussion: """
      The input files are WAV, FLAC or Ogg, with 1 or 2 channels, at 8, 16, 24, 32, 44.1 or 48 kHz. \
      The outputs are as long as the microphone's file.

      Without --server the command runs a server of its own:
        anechoic process --microphone mic.wav --reference loudspeaker.wav \\
          --output voice.wav
        anechoic process --microphone mic.wav --output voice.flac \\
          --mic-mode voice-isolation
        anechoic process --microphone mic.wav --output voice.wav --events - | jq .

      A call with music. Play played.wav on the loudspeaker:
        anechoic process --microphone mic.wav --output voice.wav \\
          --far-end caller.wav --other-audio music.wav --playback played.wav \\
          --ducking max --advanced-ducking

      A session on a server that continues until Ctrl-C:
        anechoic process --server 127.0.0.1:50051 --session-id call-1 \\
          --pacing real-time --loop --microphone mic.wav --output voice.wav

      A conference for headphones:
        anechoic process --microphone mic.wav --output voice.wav --playback played.wav \\
          --far-end alice=a.wav --far-end bob=b.wav \\
          --place alice=45,0,1 --place bob=-45,0,1 --headphones

      Each line of the file for --controls is a JSON object: a time in seconds and one field of \
      anechoic.v1.Control.
        {"at": 2.5, "set_mute": {"muted": true}}
        {"at": 4, "update_config": {"config": {}, "updateMask": "voiceProcessing"}}
        {"at": 6, "clear_playback": {}}
      A line may also report a change of the audio devices, an anechoic.v1.DeviceReport:
        {"at": 8, "device_report": {"interruption": {"should_resume": true}}}

      Exits with 0 when everything was processed, with 2 after an error, with 64 for wrong usage, and \
      with 130 after Ctrl-C (without --loop). The outputs then end where the job was stopped. If \
      the server refuses a control, the outputs are complete, and the command exits with 2.
      """)

  @OptionGroup(title: "Files") var files: ProcessFiles
  @OptionGroup(title: "Voice") var voice: VoiceOptions
  @OptionGroup(title: "Call") var call: CallOptions
  @OptionGroup(title: "Spatial audio") var spatial: SpatialOptions
  @OptionGroup var identity: ClientOption

  @Option(help: "The speed. media-clock is as fast as possible.")
  var pacing = PacingArgument.mediaClock

  @Option(
    help: """
      The address of the server: HOST:PORT, [IPv6]:PORT or unix:PATH. (default: a server inside this \
      command)
      """)
  var server: String?

  @Option(
    help: ArgumentHelp(
      """
      A server on which a new session starts if --server has lost the session; repeatable. The TLS \
      options apply to it too.
      """, valueName: "address"))
  var elsewhere: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to try to get a lost session back, or a new one: 0 to 1h. 0 ends the job.",
      valueName: "time"))
  var reconnect = DurationArgument(.seconds(15))

  @OptionGroup(title: "Connection") var connection: ServerAccess

  func validate() throws {
    try spatial.validate(
      farEnds: files.farEnd.compactMap(\.name), otherAudio: files.otherAudio,
      playback: files.playback)
    guard call.injection || call.grantInjection == nil else {
      throw ValidationError("--grant-injection excludes --no-injection.")
    }
    try connection.validate(for: server)
    guard reconnect.duration <= .seconds(3600) else {
      throw ValidationError("--reconnect must be at most 1h.")
    }
    guard elsewhere.isEmpty || server != nil else {
      throw ValidationError("--elsewhere needs --server.")
    }
    for address in elsewhere {
      if let problem = ServerAddress.connectingProblem(address) {
        throw ValidationError("--elsewhere: \(problem).")
      }
    }
    guard !files.loop || pacing == .realTime else {
      throw ValidationError("--loop needs --pacing real-time.")
    }
  }

  func run() async throws {
    do {
      try files.checkRoles()
      if let warning = files.job.sameFileWarning { warn(warning) }
      idleOptions.warnings.forEach(warn)
      let job = try ProcessJob(
        files.job, start, route: spatial.route, grantInjection: grantInjection,
        remembersInjection: call.rememberInjection
      ) { [logs = files.logs] rate in try JobLogFiles(logs, rate: rate) }
      if let warning = job.shortReferenceWarning { warn(warning) }
      let servers = JobServers(
        address: server, elsewhere: elsewhere, connection: connection,
        clientName: identity.client.description, outage: reconnect.duration)
      let summary = try await servers.run(job, recordingTo: files.record)
      if let interruption = summary.interruption {
        throw CommandError(interruption, code: CommandError.interrupted)
      }
      summary.warnings.forEach(warn)
      standardError(summary.text)
      if let problem = summary.problem { throw CommandError(problem) }
    } catch let error as AudioFileError {
      throw CommandError(error.description)
    }
  }

  private var idleOptions: IdleOptions {
    var options = IdleOptions(start: start, files: files.job)
    options.hasHeadphones = spatial.headphones
    options.hasServer = server != nil
    options.hasStatistics = files.stats != nil
    options.hasEvents = files.events != nil
    options.given = Set(
      [
        files.statsInterval != nil ? IdleOptions.statisticsInterval : nil,
        call.rememberInjection ? IdleOptions.remembering : nil,
        call.grantInjection != nil ? IdleOptions.granting : nil,
      ].compactMap(\.self))
    return options
  }

  /// The start of the session that the options request. The files determine the formats.
  private var start: Anechoic_V1_Start {
    .with { start in
      voice.apply(to: &start.config)
      call.apply(to: &start)
      spatial.apply(to: &start.config)
      // The recorder must know the id before the session starts.
      if files.record != nil, start.sessionID.isEmpty { start.sessionID = UUID().uuidString }
      start.pacing = pacing.pacing
      if files.stats != nil {
        start.statsInterval = Google_Protobuf_Duration(
          rounding: files.statsInterval?.duration ?? .seconds(1))
      }
    }
  }

  /// The answer to requests to inject. Refuses without a question if the session accepts no
  /// injected speech.
  private var grantInjection: GrantInjectionArgument? {
    call.injection ? call.grantInjection : .never
  }
}
