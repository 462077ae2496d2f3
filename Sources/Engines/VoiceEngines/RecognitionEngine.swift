public import AudioCore

/// An engine that has a second output for a recognizer of speech, from the same pass: without echo, with
/// the noise lowered at most a little, and without gain control. Recognizers learn from plain recordings,
/// and lose more words by a strong mask than by the noise that it removes.
public protocol RecognitionEngine: VoiceEngine {
  /// Fills `output` with the second output of the last frame, of the same time as the first output. Call
  /// it once after each `process`, if the format has a recognizer. Bypass does not apply to it. Runs per
  /// frame: no allocation, lock, log or await.
  func readRecognizerOutput(into output: borrowing Frame)
}
