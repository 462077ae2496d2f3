internal import AnechoicAPI
internal import ArgumentParser
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show what a session does to a recording, in a page or a picture.",
    discussion: """
      Processes a recording as anechoic process does and writes a page of HTML: spectrograms and \
      players of the microphone, the reference and the output, echo reduction, delay and levels over \
      time, voice activity, events, and the numbers in a table.
        anechoic report mic.wav --reference loudspeaker.wav -o report.html
        anechoic report mic.wav --reference loudspeaker.wav --png report.png
        anechoic report mic.wav --reference loudspeaker.wav -o report.html --compare "--engine \
      webrtc-audio-processing"

      The page is one file that loads nothing from anywhere, and may be sent to others. It contains \
      the sounds: as FLAC, or else as Ogg Vorbis, and if they are larger than --sounds even so, only \
      their beginning. Plots always have the whole recording, of at most 24 h. A file appears when it \
      is complete.

      --png needs the command rsvg-convert (Debian package librsvg2-bin).
      """)

  @Argument(help: ArgumentHelp("The audio that the microphone recorded.", valueName: "microphone"))
  var microphone: String

  @Option(
    help: ArgumentHelp(
      "The audio that the loudspeaker played at the same time. Echo cancellation needs it.",
      valueName: "file"))
  var reference: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("The page to write.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("The picture to write.", valueName: "file"))
  var png: String?

  @Option(
    help: ArgumentHelp(
      "The most sound that the page may contain, such as 24MiB. 0 leaves the players out.",
      valueName: "size"))
  var sounds = ByteCountArgument(24 << 20)

  @Option(
    help: ArgumentHelp(
      "Changes during the session, as for anechoic process --controls.", valueName: "file"))
  var controls: String?

  @OptionGroup(title: "Voice") var settings: RunOptions

  @Option(
    name: .customLong("compare"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      Process the recording a second time with other options for voice and engine, and show both \
      side by side: --compare "--noise-suppression high". Options that it leaves out are those of \
      the first run.
      """, valueName: "options"))
  var comparisons: [String] = []

  /// The options of the second run, as they were given.
  private var compare: String? { comparisons.last }

  @OptionGroup var identity: ClientOption

  @Option(
    help: """
      The address of the server: HOST:PORT, [IPv6]:PORT or unix:PATH. (default: a server inside this \
      command)
      """)
  var server: String?

  @OptionGroup(title: "Connection") var connection: ServerAccess

  func validate() throws {
    try connection.validate(for: server)
    guard output != nil || png != nil else {
      throw ValidationError("--output or --png is needed.")
    }
    try FileRoles.refuseStandardOutput([("--output", output), ("--png", png)])
    _ = try compared
  }

  func run() async throws {
    try FileRoles.check(
      read: [microphone, reference, controls].compactMap { $0 },
      written: [output, png].compactMap { $0 })
    // Before the recording is processed, which may take a while.
    let page = try output.map { path throws(CommandError) in try AtomicFile(path) }
    let picture = try png.map { path throws(CommandError) in
      (file: try AtomicFile(path), printer: try PicturePrinter())
    }
    let folder = try TemporaryFolder()
    do {
      let report = try await report(in: folder, sounds: page == nil ? 0 : sounds.bytes)
      if let picture {
        try picture.printer.print(ReportPicture(report).svg, to: picture.file.temporaryPath, folder)
      }
      if let page { try ReportPage(report).write(to: page.write) }
      try picture?.file.complete()
      try page?.complete()
    } catch let error as AudioFileError {
      throw CommandError(error.description)
    }
  }

  /// The options of the second run, or nil if there is none.
  var compared: RunOptions? {
    get throws {
      guard let compare else { return nil }
      guard comparisons.count == 1 else {
        throw ValidationError("--compare can be given once; a page shows two runs")
      }
      let changes = compare.split(separator: " ").map(String.init)
      guard !changes.isEmpty else {
        throw ValidationError(
          "--compare: \"\(compare)\" has no options; use --compare \"--noise-suppression high\"")
      }
      // Without turns, their probability would be wrong usage.
      var first = settings
      if changes.contains("--no-turns") { first.voice.turnEndProbability = nil }
      do { return try RunOptions.parse(first.arguments + changes) } catch {
        throw ValidationError("--compare: \(RunOptions.message(for: error))")
      }
    }
  }

  /// Processes the recording. `folder` keeps the outputs and the sounds for players.
  private func report(in folder: TemporaryFolder, sounds: Int) async throws -> Report {
    let recording = try ReportedRecording(path: microphone)
    var runs = [try await run(settings, of: recording, isFirst: true, in: folder)]
    if let compared = try compared {
      runs.append(try await run(compared, of: recording, isFirst: false, in: folder))
    }
    let stop = StopWatch()
    let inputs = [
      SoundSource(title: "Microphone", path: microphone),
      reference.map { SoundSource(title: "Reference", path: $0) },
    ].compactMap { $0 }
    let media = try PageSounds.make(
      of: inputs + runs.map(\.output), duration: recording.duration, atMost: sounds, folder, stop)
    return try ReportMaker(recording: recording, inputs: inputs, runs: runs, media: media)
      .report(until: stop)
  }

  /// Processes the recording with the options of a run.
  private func run(
    _ options: RunOptions, of recording: ReportedRecording, isFirst: Bool,
    in folder: TemporaryFolder
  ) async throws -> ReportedRun {
    let number = isFirst ? "1" : "2"
    // A WAV file could not hold the output of long recordings.
    let files = JobFiles(
      microphone: microphone, reference: reference, controls: controls,
      output: folder.path("output-\(number).flac"))
    if isFirst, let warning = files.sameFileWarning { warn(warning) }
    let log = ReportLog(recording)
    let job = try ProcessJob(
      files, options.start(of: recording), grantInjection: .never, remembersInjection: false
    ) { _ in log }
    if isFirst, let warning = job.shortReferenceWarning { warn(warning) }
    let summary = try await JobServers(
      address: server, connection: connection, clientName: identity.client.description
    ).run(job)
    guard !summary.wasStopped else { throw StopWatch.failure }
    summary.warnings.forEach(warn)
    let isAlone = compare == nil
    let name = isAlone ? "" : isFirst ? "1" : "2: \(compare ?? "")"
    return ReportedRun(
      name: name,
      output: SoundSource(
        title: isAlone ? "Output" : "Output \(number)", path: files.output,
        caption: isFirst ? "the processed voice" : compare ?? ""),
      log: log, summary: summary)
  }
}

/// The options for the voice and the engine of a run.
struct RunOptions: ParsableArguments {
  @OptionGroup var voice: VoiceOptions
  @OptionGroup var engine: EngineOption

  /// The options as a command line gives them.
  var arguments: [String] {
    voice.arguments + (engine.engine.isEmpty ? [] : ["--engine", engine.engine])
  }

  /// Returns the start of a session that processes a recording.
  func start(of recording: ReportedRecording) -> Anechoic_V1_Start {
    .with { start in
      voice.apply(to: &start.config)
      start.engine = engine.engine
      start.pacing = .mediaClock
      start.statsInterval = Google_Protobuf_Duration(rounding: recording.statisticsInterval)
    }
  }
}

/// A watch for SIGINT and SIGTERM after the session has ended.
final class StopWatch: Sendable {
  static let failure = CommandError(
    "stopped; no report was written", code: CommandError.interrupted)

  private let stop = StopRequest()
  private let task: Task<Void, Never>

  init() {
    let signals = TerminationSignals()
    task = Task { [stop] in
      await signals.next()
      if !Task.isCancelled { stop.set() }
    }
  }

  deinit { task.cancel() }

  /// Throws once a signal has come.
  func check() throws(CommandError) {
    if stop.isSet { throw Self.failure }
  }
}
