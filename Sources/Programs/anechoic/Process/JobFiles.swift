internal import AudioFiles

/// The audio files and the controls of a job.
struct JobFiles {
  var microphone: String
  var reference: String?
  var farEnd: String?
  /// The far ends that have names.
  var farEnds: [(id: String, path: String)] = []
  var otherAudio: String?
  var controls: String?
  /// Whether the inputs start again, without a gap, whenever the microphone's file ends.
  var isLoop = false
  /// Whether the session's audio is Opus.
  var isOpus = false
  /// The file for the processed voice.
  var output: String
  /// The file for the playback mix. Nil if the session has no playback.
  var playback: String?
  /// The file for the output for a recognizer of speech, and that for the microphone as it was captured.
  var recognizer: String?
  var raw: String?
  /// The file with the echo path that the session expects, and the one for the path that it learns.
  var echoPath: String?
  var learntEchoPath: String?
  /// The file with the voice that isolation keeps, and the one for the voice that the session learns.
  var voiceprint: String?
  var learntVoiceprint: String?

  /// The files that the job reads.
  var read: [String] {
    [microphone, reference, farEnd, otherAudio, controls, echoPath, voiceprint]
      .compactMap { $0 }
      + farEnds.map(\.path)
  }

  /// The audio files that the job writes.
  var written: [String] { [output] + [playback, recognizer, raw].compactMap(\.self) }

  /// Opens the input files.
  func inputs() throws(AudioFileError) -> InputFiles {
    try InputFiles(
      microphone: microphone,
      others: [(.reference, reference), (.farEnd, farEnd), (.otherAudio, otherAudio)],
      farEnds: farEnds, repeating: isLoop, asOpus: isOpus)
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
}
