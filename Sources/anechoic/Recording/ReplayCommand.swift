internal import AnechoicAPI
internal import ArgumentParser
internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation
internal import SessionRecording
internal import WebRTCEngine

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Run a recorded session again, and say whether the same bytes come out.",
    discussion: """
      Exits with 0 where they do, with 1 where they do not, and with 2 for a file that is no whole \
      recording, or one of another engine, after what can be replayed of it:

        anechoic replay call-1.rec --processed voice.wav
      """)

  @Argument(help: "A recording, of anechoic record or anechoic process --record.")
  var file: String

  @Option(help: ArgumentHelp("Where the processed voice goes.", valueName: "file"))
  var processed: String?

  @Option(help: ArgumentHelp("Where the playback goes.", valueName: "file"))
  var playback: String?

  @Option(
    help: ArgumentHelp("Where events go, as JSON lines; - for standard output.", valueName: "file"))
  var events: String?

  @Flag(help: "JSON, one object, for programs.")
  var json = false

  func run() throws {
    try FileRoles.check(
      read: [file], written: [processed, playback, events].compactMap { $0 })
    let replay: SessionReplay
    let contents = try contents()
    do throws(RecordingError) {
      replay = try SessionReplay(contents, engine: WebRTCVoiceEngine.self)
    } catch {
      throw CommandFailure("\(file): \(error)")
    }
    let outcome: SessionReplay.Outcome
    do {
      let files = try ReplayFiles(replay, processed: processed, playback: playback, events: events)
      outcome = replay.run(sink: files)
      try files.check()
    } catch let error as AudioFileError {
      throw CommandFailure(error.description)
    }
    let summary = ReplaySummary(outcome, replay)
    try LineFile("-").write(json ? summary.jsonLine() : summary.text)
    if let fault = outcome.fault { throw CommandFailure("\(file): \(fault)") }
    guard outcome.hasSameEngine else {
      throw CommandFailure(
        "\(file): is of \(replay.header.engine), and this is \(outcome.engine): "
          + "output repeats only with the same engine")
    }
    if outcome.differsBy != nil { throw ExitCode(1) }
  }

  /// Of a regular file: a FIFO or a device may have no end.
  private func contents() throws -> Data {
    var status = stat()
    guard stat(file, &status) == 0 else { throw CommandFailure(systemErrorAt: file) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure("\(file): is not a regular file")
    }
    do {
      return try Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe)
    } catch {
      throw CommandFailure("\(file): cannot be read")
    }
  }
}
