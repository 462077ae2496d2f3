internal import AnechoicAPI
internal import ArgumentParser
internal import AudioFiles
internal import CommandLineSupport

/// The files of a job.
struct ProcessFiles: ParsableArguments {
  @Option(help: ArgumentHelp("What the microphone heard.", valueName: "file"))
  var microphone: String

  @Option(help: ArgumentHelp("What the loudspeaker played meanwhile.", valueName: "file"))
  var reference: String?

  @Option(help: ArgumentHelp("The other side of the call, to be played.", valueName: "file"))
  var farEnd: String?

  @Option(
    help: ArgumentHelp(
      "Music, prompts and the like, to be played lowered; needs --playback.", valueName: "file"))
  var otherAudio: String?

  @Option(
    help: ArgumentHelp(
      "Changes while it runs, as JSON lines {\"at\": SECONDS, \"set_mute\": {\"muted\": true}}.",
      valueName: "file"))
  var controls: String?

  @Option(help: ArgumentHelp("Where the processed voice goes.", valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp(
      "Where goes what is to be played: far end, other audio, chimes and injected speech, mixed.",
      valueName: "file"))
  var playback: String?

  @Option(
    help: ArgumentHelp(
      "Where events and results of controls go, as JSON lines; - for standard output.",
      valueName: "file"))
  var events: String?

  @Option(help: ArgumentHelp("Where statistics go, one JSON line a second.", valueName: "file"))
  var stats: String?

  @Option(help: ArgumentHelp("Where a JSON line for every 10 ms goes.", valueName: "file"))
  var frames: String?

  @Option(
    help: ArgumentHelp(
      "Where a recording of the session goes, for anechoic replay.", valueName: "file"))
  var record: String?

  /// What a job writes beside its audio.
  var logs: JobLogs.Paths { JobLogs.Paths(events: events, statistics: stats, frames: frames) }

  /// Throws where a file is to be written that is needed for something else.
  func checkRoles() throws(CommandFailure) {
    try FileRoles.check(
      read: [microphone, reference, farEnd, otherAudio, controls].compactMap { $0 },
      written: [output, playback, events, stats, frames, record].compactMap { $0 })
  }

  /// Opens what is sent as audio.
  func inputs() throws(AudioFileError) -> InputFiles {
    try InputFiles(
      microphone: microphone,
      others: [(.reference, reference), (.farEnd, farEnd), (.otherAudio, otherAudio)])
  }
}
