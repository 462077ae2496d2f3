internal import AudioCore
internal import VoiceEngines

/// The isolation of one voice: that of a voiceprint, or the nearest. It also learns voiceprints.
/// Costs nothing while it neither isolates nor learns, nor in a long pause, which the networks would
/// forget the voices in.
struct VoiceIsolation: ~Copyable {
  /// The probability of a voice below which a frame has none, and the frames without a voice after
  /// which the networks wait.
  private static let leastVoice: Float = 0.1
  private static let longestPause = 100
  /// The frames of rejected voices after which the nearest voice is looked for anew: it may be the kept
  /// one, which has moved away. A frame of the kept voice takes some of them back.
  private static let framesToMove = 400
  private static let framesTakenBack = 2

  private var features: IsolationFeatures
  private let encoder: VoiceEncoder
  private let network: IsolationNetwork
  private var deepGains: IsolationGains
  private var likeness = VoiceLikeness()
  private var learnt = VoiceprintSum()
  private(set) var isEnrolling = false
  private var isIsolating = false
  private var isRunning = false
  private var framesOfPause = 0
  /// The frames of rejected voices, less those that were taken back.
  private var framesOfOthers = 0
  private var bandwidth = VoiceBandwidth()
  /// Whether the enrolled voice is not known at this microphone: a telephone has only a part of the voice
  /// that was learnt. The nearest voice is kept then.
  private var isEstranged = false
  private var isSure = false

  init(weights: IsolationWeights, kernels: Kernels = .best) {
    features = IsolationFeatures(kernels: kernels)
    encoder = VoiceEncoder(weights: weights.encoder, kernels: kernels)
    network = IsolationNetwork(weights: weights.network, kernels: kernels)
    deepGains = IsolationGains(kernels: kernels)
    network.open()
  }

  /// The gains of the bands for all voices but the kept one. All are 1 while nothing is isolated.
  var gains: UnsafePointer<Float> { deepGains.values }

  /// The probability that the kept voice talks, if a voice talks. 1 while nothing is isolated.
  var probability: Float { network.probability }

  /// Sets the voiceprint of the kept voice. The nearest voice is kept if it is nil.
  mutating func isolate(_ voiceprint: [Float]?) {
    likeness.enroll(voiceprint)
    isEstranged = false
    if !isEnrolling { encoder.reset() }
    network.reset()
  }

  /// Processes a frame: the powers of the bands, the gains for echo that apply to them, and the
  /// probability of any voice. Runs per frame: no allocation, lock, log or await.
  mutating func process(
    _ powers: UnsafePointer<Float>, echo gains: UnsafePointer<Float>, voice: Float, isolates: Bool
  ) {
    isSure = false
    if isolates != isIsolating {
      isIsolating = isolates
      network.reset()
      open()
    }
    let wasRunning = isRunning
    isRunning = isolates || isEnrolling
    guard isRunning else { return }
    if !wasRunning {
      features.reset()
      encoder.reset()
      likeness.reset()
      (framesOfPause, framesOfOthers) = (0, 0)
      (bandwidth, isEstranged) = (VoiceBandwidth(), false)
    }
    framesOfPause = voice < Self.leastVoice ? framesOfPause + 1 : 0
    guard framesOfPause < Self.longestPause else { return }
    if voice > 0.5 { record(powers) }
    features.compute(powers, gains: gains, fall: fall(voice))
    if isEnrolling || likeness.isEnrolled { encoder.process(features.current) }
    guard isolates else { return }
    if likeness.isEnrolled { likeness.compute(encoder.direction) }
    network.process(
      features.current, likeness: isEstranged ? likeness.ofNobody : likeness.current)
    deepGains.compute(network.gains, probability: network.probability)
  }

  /// Records the powers of the bands of a frame with a voice.
  private mutating func record(_ powers: UnsafePointer<Float>) {
    framesOfOthers += network.probability > 0.5 ? -Self.framesTakenBack : 1
    framesOfOthers = min(max(framesOfOthers, 0), Self.framesToMove)
    guard likeness.isEnrolled, !isEstranged else { return }
    bandwidth.record(powers)
    isEstranged = bandwidth.isNarrow && framesOfOthers == Self.framesToMove
  }

  /// Returns how the loudness of the kept voice falls in a frame with this probability of any voice. That of
  /// an enrolled voice never falls because of others.
  private func fall(_ voice: Float) -> IsolationFeatures.Fall {
    guard network.probability <= 0.5 else { return .slow }
    let mayFall = !likeness.isEnrolled || isEstranged
    return framesOfOthers < Self.framesToMove || voice <= 0.5 || !mayFall ? .none : .fast
  }

  private mutating func open() {
    network.open()
    deepGains.open()
  }

  /// Lets everything pass, and forgets the frames before. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func pause() {
    isSure = false
    guard isRunning || isIsolating else { return }
    (isRunning, isIsolating) = (false, false)
    open()
  }

  // MARK: Enrollment

  mutating func beginEnrollment() {
    learnt.clear()
    if !likeness.isEnrolled { encoder.reset() }
    isEnrolling = true
  }

  mutating func endEnrollment() {
    learnt.clear()
    isEnrolling = false
  }

  /// How alike the voices of the last second and the enrolled voice are, if the last frame was one of a sure
  /// voice, and an enrolled voice is isolated.
  var sureLikeness: Float? {
    isSure && isIsolating && likeness.isEnrolled ? likeness.ofLastSecond : nil
  }

  /// Records that the last frame was one of a sure voice, and learns from it. Runs per frame: no allocation,
  /// lock, log or await.
  mutating func hearSureVoice(most: Int) {
    isSure = true
    if isEnrolling { learnt.add(encoder.direction, most: most) }
  }

  var progress: EnrollmentProgress? { isEnrolling ? learnt.progress : nil }

  /// The voiceprint that has been learnt. Allocates.
  var voiceprint: [Float] { learnt.voiceprint }
}
