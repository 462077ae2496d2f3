internal import VoiceEngines

/// The voice that isolation keeps, and the enrollment of another one.
struct KeptVoice {
  enum Outcome {
    case learnt(Voiceprint)
    case failed(EnrollmentFailure)
  }

  /// The frames of a voice that are waited for: 3 s.
  private static let wantedFrames = 300
  /// The frames after which an enrollment fails: 60 s.
  private static let longestEnrollment = 6000
  /// How alike the frames of one voice are at least.
  private static let leastConsistency: Float = 0.5

  /// Nil for an engine that cannot learn a voice.
  private let engine: (any EnrollmentEngine)?
  /// Nil while the nearest voice is kept.
  private var voiceprint: Voiceprint?
  /// The voiceprint that an enrollment of this session has learnt and that is kept.
  private(set) var learnt: Voiceprint?
  /// The frames of the enrollment so far, or nil without one.
  private var frames: Int?
  private var watch = EnrolledVoiceWatch()
  /// Whether the client may let the session learn and keep voices.
  var isAllowed: Bool

  /// Begins with a voice, or with the nearest.
  init(_ engine: any VoiceEngine, _ setup: SessionSetup) {
    self.engine = engine as? any EnrollmentEngine
    isAllowed = setup.allowsEnrollment
    if let voiceprint = setup.voiceprint, fits(voiceprint) { keep(voiceprint) }
    if setup.enrollsVoice { enroll() }
  }

  /// Whether voices can be learnt and kept.
  var isPossible: Bool { engine != nil }
  var isEnrolled: Bool { voiceprint != nil }
  var state: VoiceEnrollment { frames != nil ? .enrolling : voiceprint != nil ? .enrolled : .none }

  func fits(_ voiceprint: Voiceprint) -> Bool {
    engine.map { voiceprint.fits(type(of: $0)) } ?? false
  }

  /// Keeps a voice that fits, or the nearest, and ends an enrollment.
  mutating func keep(_ voiceprint: Voiceprint?) {
    self.voiceprint = voiceprint
    learnt = nil
    endEnrollment()
    engine?.isolate(voiceprint?.values)
  }

  /// Begins an enrollment, anew if one runs.
  mutating func enroll() {
    frames = 0
    engine?.beginEnrollment()
  }

  /// Adds a frame of VOICE_ISOLATION. Returns whether another voice than the enrolled one talks, or nil if
  /// that has not changed. Runs per frame: no allocation, lock, log or await.
  mutating func listen() -> Bool? {
    guard isEnrolled else { return nil }
    return watch.process(likeness: engine?.likeness)
  }

  /// Forgets who has talked. Returns whether another voice than the enrolled one did. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func forgetTalkers() -> Bool {
    defer { watch.reset() }
    return watch.isActive
  }

  /// Adds a frame. Returns the outcome of an enrollment that ends with it. Allocates only then.
  mutating func advance() -> Outcome? {
    guard let frames, let engine, let progress = engine.enrollment else { return nil }
    self.frames = frames + 1
    let isConsistent = progress.consistency >= Self.leastConsistency
    if progress.frames >= Self.wantedFrames, isConsistent { return learn(engine) }
    let most = type(of: engine).enrollmentFrames.upperBound
    guard progress.frames >= most || frames >= Self.longestEnrollment else { return nil }
    return finish()
  }

  /// Ends an enrollment with what was heard. Nil without one.
  mutating func finish() -> Outcome? {
    guard frames != nil, let engine, let progress = engine.enrollment else { return nil }
    let least = type(of: engine).enrollmentFrames.lowerBound
    guard progress.frames >= least else { return fail(.tooLittleVoice) }
    guard progress.consistency >= Self.leastConsistency else { return fail(.severalVoices) }
    return learn(engine)
  }

  private mutating func learn(_ engine: any EnrollmentEngine) -> Outcome {
    let voiceprint = Voiceprint(
      encoder: type(of: engine).encoder, values: engine.enrolledVoiceprint)
    keep(voiceprint)
    learnt = voiceprint
    return .learnt(voiceprint)
  }

  private mutating func fail(_ failure: EnrollmentFailure) -> Outcome {
    endEnrollment()
    return .failed(failure)
  }

  private mutating func endEnrollment() {
    guard frames != nil else { return }
    frames = nil
    engine?.endEnrollment()
  }
}

/// The voice that isolation keeps: the nearest, one that is being learnt, or one that is known.
public enum VoiceEnrollment: Sendable { case none, enrolling, enrolled }

/// The reason why no voice was learnt.
public enum EnrollmentFailure: Sendable { case severalVoices, tooLittleVoice }
