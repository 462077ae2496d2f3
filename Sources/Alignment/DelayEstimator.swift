public import AudioCore
internal import Spectral
public import Resampling

/// Finds how far the echo in a microphone lies behind the reference, 0 to 1,000 ms, by what the two
/// sound like.
///
/// It says nothing before it is sure, and moves only to a lag that is clearly better and lasts.
/// While the reference is silent it stays where it is. A signal that repeats itself has no lag to be
/// found and changes nothing.
public struct DelayEstimator: ~Copyable {
  /// What is known after a frame.
  public struct Estimate: Sendable, Equatable {
    /// Of the echo behind the reference.
    public var delay: Duration
    /// 0...1; above 0.5 the last block of 128 ms agreed.
    public var confidence: Float
  }

  public static let longestDelay = Duration.seconds(1)
  /// In frames: how far one side may be ahead of the other.
  public static let longestWait = 110

  /// Nil until it is sure for the first time.
  public var estimate: Estimate? {
    tracker.lag.map {
      Estimate(delay: .nanoseconds(Int64(seconds($0) * 1e9)), confidence: tracker.confidence)
    }
  }
  /// The same for the frame path; the confidence is 0 before there is an estimate.
  var lagSeconds: Double? { tracker.lag.map { seconds($0) } }
  var confidence: Float { tracker.confidence }
  /// Whether the last update found the lag elsewhere.
  var hasMoved: Bool { tracker.hasMoved }
  /// The seconds by which `shiftLags` changes a lag.
  static let lagShift = Double(PhaseCorrelator.block) / Double(EstimatorInput.hertz)
  /// The number of updates of the estimate: one for each block that says something about the lag.
  public private(set) var updateCount = 0

  /// How much of both has been compared, in seconds.
  var comparedSeconds: Double {
    Double(blockCount * PhaseCorrelator.block) / Double(EstimatorInput.hertz)
  }

  /// By which the reference comes later to 4 kHz than the microphone, in seconds.
  private let referenceLateness: Double
  private var blockCount = 0
  private var tracker = LagTracker()
  private var correlator: PhaseCorrelator
  private var referenceInput: EstimatorInput
  private var microphoneInput: EstimatorInput
  // The last block of the reference that was compared, and what came after it; of the microphone what
  // came since.
  private let reference: FloatBuffer
  private let microphone: FloatBuffer
  private var referenceCount = 0  // that came since
  private var microphoneCount = 0
  private var nextStep = PhaseCorrelator.stepCount + 1
  private var blocksToShift = 0  // of the reference, before the next block of the microphone
  private var staleCount = 0  // of the microphone from here on, with the echo of before a step

  public init(
    microphone: SampleRate, reference: SampleRate
  ) throws(FrameResampler.Failure) {
    // First what can fail: a noncopyable value cannot be given up half made.
    let referenceInput = try EstimatorInput(rate: reference)
    let microphoneInput = try EstimatorInput(rate: microphone)
    referenceLateness = referenceInput.latency - microphoneInput.latency
    self.referenceInput = referenceInput
    self.microphoneInput = microphoneInput
    correlator = PhaseCorrelator()
    let room = PhaseCorrelator.block + (1 + Self.longestWait) * EstimatorInput.samplesPerFrame
    self.reference = FloatBuffer(PhaseCorrelator.block + room)
    self.microphone = FloatBuffer(room)
  }

  /// Takes in the next 10 ms of the reference: the time of each is its place in the order. Neither
  /// side may be more than `longestWait` frames ahead. Runs per frame: no allocation, lock, log or
  /// await.
  public mutating func append(reference frame: borrowing Frame) {
    referenceInput.process(frame, into: reference.start + PhaseCorrelator.block + referenceCount)
    referenceCount += EstimatorInput.samplesPerFrame
  }

  /// Takes in the next 10 ms of the microphone, and goes on with the comparison of what has come of
  /// both. Runs per frame: no allocation, lock, log or await.
  public mutating func append(microphone frame: borrowing Frame) {
    microphoneInput.process(frame, into: microphone.start + microphoneCount)
    microphoneCount += EstimatorInput.samplesPerFrame
    repeat { advance() } while hasBlock
  }

  private var hasBlock: Bool {
    let block = PhaseCorrelator.block
    return microphoneCount >= block && referenceCount >= block * (1 + blocksToShift)
  }

  /// Does the next step: the work of a block is spread over the frames that follow it.
  private mutating func advance() {
    if nextStep < PhaseCorrelator.stepCount {
      correlator.run(step: nextStep)
      nextStep += 1
    } else if nextStep == PhaseCorrelator.stepCount {
      nextStep += 1
      guard correlator.isInformed else { return }
      tracker.update(correlator.correlation)
      updateCount += 1
    } else if hasBlock {
      begin()
    }
  }

  private mutating func begin() {
    let block = PhaseCorrelator.block
    if blocksToShift > 0 {
      correlator.skip(reference: reference.start)
      dropReferenceBlock()
    }
    let repeatsReference = blocksToShift < 0
    blocksToShift = 0
    if staleCount > 0 {
      if !repeatsReference { correlator.skip(reference: reference.start) }
      staleCount -= block
    } else {
      correlator.begin(
        reference: repeatsReference ? nil : reference.start, microphone: microphone.start)
      nextStep = 0
    }
    if !repeatsReference { dropReferenceBlock() }
    microphoneCount -= block
    microphone.start.update(from: microphone.start + block, count: microphoneCount)
    tracker.drift(by: Float(correlator.drift))
    blockCount += 1
  }

  private mutating func dropReferenceBlock() {
    let block = PhaseCorrelator.block
    referenceCount -= block
    reference.start.update(from: reference.start + block, count: block + referenceCount)
  }

  /// Whether `shiftLags` may be called: the work of the last block is done.
  var canShiftLags: Bool { nextStep > PhaseCorrelator.stepCount && blocksToShift == 0 }

  /// Compares the microphone from here on with a reference that is newer by a block of 128 ms, which
  /// makes every lag longer by as much, or with an older one. Nothing that was found is lost.
  mutating func shiftLags(isLonger: Bool) {
    blocksToShift = isLonger ? 1 : -1
    correlator.shiftLags(isLonger: isLonger)
    tracker.shift(by: blocksToShift * PhaseCorrelator.block)
  }

  /// Goes with a drift that is known, in parts per million of the time.
  mutating func follow(drift: Double) {
    correlator.drift = drift * 1e-6 * Double(PhaseCorrelator.block)
  }

  /// The lag is known to have changed, by so many seconds.
  mutating func jump(by seconds: Double) {
    correlator.forget()
    tracker.jump(by: Float(seconds * Double(EstimatorInput.hertz)))
  }

  /// The lag changes by so many seconds, with what the microphone hears after so many seconds from
  /// now. A block that holds echo of before and after is not compared.
  mutating func step(by seconds: Double, in delay: Double) {
    jump(by: seconds)
    staleCount = microphoneCount + Int(delay * Double(EstimatorInput.hertz))
  }

  /// Forgets all that was found, as where a route has changed.
  public mutating func reset() {
    correlator.forget()
    tracker = LagTracker()
    staleCount = 0
  }

  private func seconds(_ lag: Float) -> Double {
    max(0, Double(lag) / Double(EstimatorInput.hertz) + referenceLateness)
  }
}
