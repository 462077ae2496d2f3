/// An engine that isolates one voice: an enrolled one, or the nearest. `EngineSettings.isolatesVoice`
/// switches the isolation on.
public protocol EnrollmentEngine: VoiceEngine {
  /// The number of values of a voiceprint.
  static var voiceprintLength: Int { get }

  /// The frames of a voice that a voiceprint needs, and those after which more are not used.
  static var enrollmentFrames: ClosedRange<Int> { get }

  /// Isolates the voice of a voiceprint from the next frame on, or the nearest voice if nil. Does not
  /// allocate.
  func isolate(_ voiceprint: [Float]?)

  /// Begins to learn the voice in the microphone without its echo and noise, anew if it has begun.
  /// Frames without a sure voice, and frames in which the reference plays, do not count.
  func beginEnrollment()

  /// The state of the enrollment that has begun. Nil before `beginEnrollment`.
  var enrollment: Enrollment? { get }
}

/// The state of an enrollment.
public struct Enrollment: Sendable, Equatable {
  /// The frames of a voice that have been heard.
  public var frames: Int
  /// The share of frames, 0...1, that are alike: low if several voices were heard, or no voice.
  public var consistency: Float
  /// The voiceprint so far. Empty with fewer than the least number of frames.
  public var voiceprint: [Float]

  public init(frames: Int, consistency: Float, voiceprint: [Float]) {
    self.frames = frames
    self.consistency = consistency
    self.voiceprint = voiceprint
  }
}
