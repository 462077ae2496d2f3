internal import AnechoicAPI

/// A reader of everything that the session of a job says besides audio.
protocol JobLog: AnyObject {
  func note(_ event: Anechoic_V1_SessionEvent) throws
  func note(_ result: Anechoic_V1_ControlResult) throws
  func note(_ stats: Anechoic_V1_SessionStats) throws
  func note(_ frame: JobFrame) throws

  /// Completes the log. Called once, also after an error, and then nothing follows.
  func finish() throws
}

/// The findings about 10 ms of the output, and the levels of these 10 ms.
struct JobFrame {
  var findings: Anechoic_V1_FrameInfo
  /// The index of the frame's first sample.
  var firstSample: Int64
  /// The mean squares of the microphone, of the played sound, and of the output. Nil if unknown.
  var microphone: Float?
  var played: Float?
  var processed: Float?
}
