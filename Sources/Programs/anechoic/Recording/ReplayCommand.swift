internal import AnechoicAPI
internal import ArgumentParser
internal import AudioCore
internal import AudioFiles
internal import BundledEngines
internal import CommandLineSupport
internal import Foundation
internal import SessionWire
internal import SpatialAudio

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Run a recorded session again, and compare its output with the original.",
    discussion: """
      Exits with 0 if the output is the same, bit for bit, and with 1 if it differs. Exits with 2 if \
      the file is not a complete recording, or is of another engine or other head-related responses; if \
      this program has the engine in another version, as much as possible is replayed first.

        anechoic replay call-1.rec --processed voice.wav
      """)

  @Argument(help: "The recording, made by anechoic record or anechoic process --record.")
  var file: String

  @Option(help: ArgumentHelp("The file to write the processed voice to.", valueName: "file"))
  var processed: String?

  @Option(help: ArgumentHelp("The file to write the playback to.", valueName: "file"))
  var playback: String?

  @Option(
    help: ArgumentHelp(
      "The file to write the voice for a recognizer of speech to.", valueName: "file"))
  var recognizer: String?

  @Option(
    help: ArgumentHelp(
      "The file to write the microphone as it was captured to.", valueName: "file"))
  var raw: String?

  @Option(
    help: ArgumentHelp(
      "The file to write events to, as JSON lines; - is standard output.", valueName: "file"))
  var events: String?

  @Option(
    help: ArgumentHelp(
      "A listener profile that the session used: its id and its SOFA file. May be repeated.",
      valueName: "id=file"))
  var profile: [ReplayedProfile] = []

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    try FileRoles.refuseStandardOutput([
      ("--processed", processed), ("--playback", playback), ("--recognizer", recognizer),
      ("--raw", raw),
    ])
  }

  private var paths: ReplayFiles.Paths {
    ReplayFiles.Paths(
      processed: processed, playback: playback, recognizer: recognizer, raw: raw, events: events)
  }

  func run() async throws {
    try FileRoles.check(read: [file] + profile.map(\.file), written: paths.all)
    let replay: SessionReplay
    let contents = try contents()
    let profiles = try await profiles()
    do throws(RecordingError) {
      replay = try SessionReplay(contents, engines: .bundled, profiles: profiles)
    } catch {
      throw CommandError("\(file): \(error)")
    }
    let outcome: SessionReplay.Outcome
    do {
      let files = try ReplayFiles(replay, paths)
      outcome = replay.run(sink: files)
      try files.check()
    } catch let error as AudioFileError {
      throw CommandError(error.description)
    }
    let summary = ReplaySummary(outcome, replay)
    try LineFile("-").write(json ? summary.jsonLine() : summary.text)
    if let fault = outcome.fault { throw CommandError("\(file): \(fault)") }
    guard outcome.hasSameEngine else {
      throw CommandError(
        "\(file): recorded with \(replay.recordedEngine), replayed with \(outcome.engine); "
          + "the output repeats only with the same engine, version and weights")
    }
    guard outcome.hasSameTurnWeights else {
      throw CommandError(
        "\(file): turns were recorded with other weights than those of this program; their events repeat only with "
          + "the same weights")
    }
    guard outcome.hasSameHeadResponses else {
      throw CommandError(
        "\(file): recorded with other head-related responses; name the listener profile with "
          + "--profile ID=FILE")
    }
    if outcome.differsBy != nil { throw ExitCode(1) }
  }

  /// Reads the profiles in processes of their own.
  private func profiles() async throws -> [String: MeasuredResponses] {
    var profiles: [String: MeasuredResponses] = [:]
    for profile in profile {
      let sofa = try ShortFile.read(
        profile.file, title: profile.file, atMost: ProfileReader.largestFile)
      do {
        profiles[profile.id] = try await ReaderProgram.this.responses(of: sofa)
      } catch {
        throw CommandError("\(profile.file): \(error)")
      }
    }
    return profiles
  }

  /// Reads the file, which must be a regular file, because a FIFO or a device may never end.
  private func contents() throws -> Data {
    var status = stat()
    guard stat(file, &status) == 0 else { throw CommandError(systemErrorAt: file) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CommandError("\(file): this is not a regular file")
    }
    do {
      return try Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe)
    } catch {
      throw CommandError("\(file): the file cannot be read")
    }
  }
}

/// A listener profile of a replay: ID=FILE.
struct ReplayedProfile: ExpressibleByArgument {
  let id: String
  let file: String

  init?(argument: String) {
    guard let end = argument.firstIndex(of: "=") else { return nil }
    id = String(argument[..<end])
    file = String(argument[argument.index(after: end)...])
    guard Identifier.isValid(id), !file.isEmpty else { return nil }
  }
}
