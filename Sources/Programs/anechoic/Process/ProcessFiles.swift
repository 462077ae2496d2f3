internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport

/// The files of a job.
struct ProcessFiles: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The audio that the microphone recorded; - is standard input, for each input.",
      valueName: "file"))
  var microphone: String

  @Option(
    help: ArgumentHelp(
      "The audio that the loudspeaker played at the same time. Echo cancellation needs it.",
      valueName: "file"))
  var reference: String?

  @Option(
    help: ArgumentHelp(
      """
      The other side of the call, mixed into the playback. With a name, as in alice=a.wav, one of \
      several; repeatable.
      """, valueName: "[name=]file"))
  var farEnd: [FarEndFile] = []

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

  @Option(
    help: ArgumentHelp(
      "The file to write the processed voice to; - is standard output, as WAV, for each output.",
      valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp(
      "The file to write the playback mix to: far end, other audio, chimes and injected speech.",
      valueName: "file"))
  var playback: String?

  @Option(
    help: ArgumentHelp(
      """
      The file to write the voice for a recognizer of speech to: without echo, noise lowered by at most \
      10 dB, no gain control.
      """, valueName: "file"))
  var recognizer: String?

  @Option(
    help: ArgumentHelp(
      "The file to write the microphone as it was captured to, as late as the other outputs.",
      valueName: "file"))
  var raw: String?

  @Option(
    help: ArgumentHelp(
      """
      The file to write events and results of controls to; - is standard output. Names that end in \
      .csv or .npz (NumPy) are tables, here and in --stats and --frames; others are JSON lines.
      """, valueName: "file"))
  var events: String?

  @Option(
    help: ArgumentHelp(
      "The file to write statistics to, each --stats-interval.", valueName: "file"))
  var stats: String?

  @Option(
    help: ArgumentHelp(
      "The interval of --stats: 100ms to 1h. (default: 1s)", valueName: "time"))
  var statsInterval: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "The file to write the findings of each 10 ms to. Tables also have the levels.",
      valueName: "file"))
  var frames: String?

  @Option(
    help: ArgumentHelp(
      "The file to record the session to, for anechoic replay.", valueName: "file"))
  var record: String?

  @Option(
    help: ArgumentHelp(
      """
      The file with the echo path of an earlier session on the same device, with which the echo \
      canceller begins.
      """, valueName: "file"))
  var echoPath: String?

  @Option(
    help: ArgumentHelp(
      "The file to write the echo path to that the session has learnt, for --echo-path.",
      valueName: "file"))
  var saveEchoPath: String?

  @Option(
    help: ArgumentHelp(
      """
      The file with the voice that the mic mode voice-isolation keeps, written by --save-voiceprint. \
      Without it, the mode keeps the nearest voice.
      """, valueName: "file"))
  var voiceprint: String?

  @Option(
    help: ArgumentHelp(
      """
      Learn the voice of the recording, and write it to this file. It identifies a person: keep it as \
      such.
      """, valueName: "file"))
  var saveVoiceprint: String?

  @Flag(
    help: """
      Send and receive the audio as Opus packets of 20 ms with 32 kb/s for each channel. For files \
      at 8, 16, 24 or 48 kHz.
      """)
  var opus = false

  func validate() throws {
    guard farEnd.count(where: { $0.name == nil }) <= 1 else {
      throw ValidationError("--far-end without a name may be given once.")
    }
    guard farEnd.allSatisfy({ $0.name == nil }) || playback != nil else {
      throw ValidationError("--far-end with a name needs --playback.")
    }
    guard otherAudio == nil || playback != nil else {
      throw ValidationError("--other-audio needs --playback.")
    }
    try FileRoles.refuseStandardOutput([
      ("--save-echo-path", saveEchoPath), ("--save-voiceprint", saveVoiceprint),
      ("--record", record),
    ])
    let sounds = [output, playback, recognizer, raw].count { $0 == "-" }
    let logs = [events, stats, frames].count { $0 == "-" }
    guard sounds == 0 || sounds + logs == 1 else {
      throw ValidationError(
        "Only one of --output, --playback, --recognizer, --raw, --events, --stats and --frames can be -; use files for "
          + "the others.")
    }
    let inputs = [microphone, reference, otherAudio, controls] + farEnd.map(\.path)
    guard inputs.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError(
        "Only one of --microphone, --reference, --far-end, --other-audio and --controls can be -; use files for the "
          + "others.")
    }
    let interval = statsInterval?.duration ?? .seconds(1)
    guard (.milliseconds(100)...Duration.seconds(3600)).contains(interval) else {
      throw ValidationError("--stats-interval must be 100ms to 1h.")
    }
  }

  /// The files of the job.
  var job: JobFiles {
    JobFiles(
      microphone: microphone, reference: reference,
      farEnd: farEnd.first { $0.name == nil }?.path,
      farEnds: farEnd.compactMap { file in file.name.map { ($0, file.path) } },
      otherAudio: otherAudio,
      controls: controls, isLoop: loop, isOpus: opus, output: output, playback: playback,
      recognizer: recognizer, raw: raw, echoPath: echoPath, learntEchoPath: saveEchoPath,
      voiceprint: voiceprint, learntVoiceprint: saveVoiceprint)
  }

  /// The paths of the logs.
  var logs: JobLogFiles.Paths {
    JobLogFiles.Paths(events: events, statistics: stats, frames: frames)
  }

  /// Throws if an output would overwrite an input or another output.
  func checkRoles() throws(CommandError) {
    try FileRoles.check(
      read: job.read,
      written: job.written
        + [saveEchoPath, saveVoiceprint, events, stats, frames, record].compactMap(\.self))
  }
}
