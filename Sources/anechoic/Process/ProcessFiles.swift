internal import AnechoicAPI
internal import ArgumentParser
internal import AudioFiles
internal import CommandLineSupport

/// The files of a job.
struct ProcessFiles: ParsableArguments {
  @Option(help: ArgumentHelp("The audio that the microphone recorded.", valueName: "file"))
  var microphone: String

  @Option(
    help: ArgumentHelp(
      "The audio that the loudspeaker played at the same time. Echo cancellation needs it.",
      valueName: "file"))
  var reference: String?

  @Option(
    help: ArgumentHelp("The other side of the call, mixed into the playback.", valueName: "file"))
  var farEnd: String?

  @Option(
    help: ArgumentHelp(
      "Music, prompts and other audio, lowered and mixed into the playback; needs --playback.",
      valueName: "file"))
  var otherAudio: String?

  @Option(
    help: ArgumentHelp(
      "Changes during the session, as JSON lines: {\"at\": SECONDS, \"set_mute\": {\"muted\": true}}.",
      valueName: "file"))
  var controls: String?

  @Flag(
    help: """
      Repeat the input files without a gap until Ctrl-C, then finish and exit with 0. Needs \
      --pacing real-time.
      """)
  var loop = false

  @Option(help: ArgumentHelp("The file to write the processed voice to.", valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp(
      "The file to write the playback mix to: far end, other audio, chimes and injected speech.",
      valueName: "file"))
  var playback: String?

  @Option(
    help: ArgumentHelp(
      "The file to write events and results of controls to, as JSON lines; - is standard output.",
      valueName: "file"))
  var events: String?

  @Option(
    help: ArgumentHelp(
      "The file to write statistics to, one JSON line per second.", valueName: "file"))
  var stats: String?

  @Option(
    help: ArgumentHelp(
      "The file to write the findings of each 10 ms to, as JSON lines.", valueName: "file"))
  var frames: String?

  @Option(
    help: ArgumentHelp(
      "The file to record the session to, for anechoic replay.", valueName: "file"))
  var record: String?

  func validate() throws {
    guard otherAudio == nil || playback != nil else {
      throw ValidationError("--other-audio needs --playback.")
    }
  }

  /// The paths of the logs.
  var logs: JobLogs.Paths { JobLogs.Paths(events: events, statistics: stats, frames: frames) }

  /// Throws if an output would overwrite an input or another output.
  func checkRoles() throws(CommandFailure) {
    try FileRoles.check(
      read: [microphone, reference, farEnd, otherAudio, controls].compactMap { $0 },
      written: [output, playback, events, stats, frames, record].compactMap { $0 })
  }

  /// The warning about a microphone and a reference that are the same file, otherwise nil.
  var sameFileWarning: String? {
    guard let reference, FileRoles.isSame(microphone, reference) else { return nil }
    let subject =
      microphone == reference
      ? "--microphone and --reference both name \(microphone)"
      : "\(microphone) and \(reference) are the same file"
    return "\(subject); the whole recording counts as echo, and the voice is removed with it"
  }

  /// Opens the input files.
  func inputs() throws(AudioFileError) -> InputFiles {
    try InputFiles(
      microphone: microphone,
      others: [(.reference, reference), (.farEnd, farEnd), (.otherAudio, otherAudio)],
      repeating: loop)
  }
}
