/// An engine that isolates one voice: an enrolled one, or the nearest. `EngineSettings.isolatesVoice`
/// switches the isolation on.
public protocol EnrollmentEngine: VoiceEngine {
  /// A name for the encoder that makes voiceprints. Those of another encoder do not fit.
  static var encoder: String { get }

  /// The number of values of a voiceprint.
  static var voiceprintLength: Int { get }

  /// The number of frames of a voice that a voiceprint needs at least, and that it uses at most.
  static var enrollmentFrames: ClosedRange<Int> { get }

  /// Isolates the voice of a voiceprint from the next frame on, or the nearest voice if nil.
  func isolate(_ voiceprint: [Float]?)

  /// Begins to learn the voice in the microphone without its echo and noise, anew if it has begun.
  /// Frames without a sure voice, and frames in which the reference plays, do not count.
  func beginEnrollment()

  /// Stops to learn a voice, and forgets what was learnt.
  func endEnrollment()

  /// The progress of the enrollment that has begun, or nil without one. Does not allocate.
  var enrollment: EnrollmentProgress? { get }

  /// The voiceprint of the enrollment that has begun: a vector of length 1. Empty with fewer than the
  /// least number of frames. Allocates.
  var enrolledVoiceprint: [Float] { get }

  /// How alike the voices of the last second and the isolated voice of a voiceprint are, -1...1, after a frame
  /// of a sure voice. Nil after other frames, while no such voice is isolated, and by default. Does not allocate.
  var likeness: Float? { get }
}

extension EnrollmentEngine {
  /// Nil: sessions with this engine do not notice that another voice than the enrolled one talks.
  public var likeness: Float? { nil }
}

/// The progress of an enrollment.
public struct EnrollmentProgress: Sendable, Equatable {
  /// The number of frames of a voice that have been heard.
  public var frames: Int
  /// How alike these frames are, 0...1: low if several voices were heard, or no voice.
  public var consistency: Float

  public init(frames: Int, consistency: Float) {
    self.frames = frames
    self.consistency = consistency
  }
}
