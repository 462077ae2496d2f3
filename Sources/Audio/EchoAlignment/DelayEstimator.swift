public import AudioCodecs
public import AudioCore

/// Finds the lag of the echo in a microphone after the reference, 0 to 1,000 ms, by comparing their
/// samples.
///
/// There is no estimate until one is certain. The estimate moves only to a lag that fits clearly
/// better, and for several blocks. It does not change while the reference is silent. A signal that
/// repeats itself fits several lags and changes nothing either.
public struct DelayEstimator: ~Copyable {
  /// A lag and how certain it is.
  public struct Estimate: Sendable, Equatable {
    /// The lag of the echo.
    public var delay: Duration
    /// 0 to 1. Above 0.5 the last block of 128 ms agreed.
    public var confidence: Float
  }

  public static let longestDelay = Duration.seconds(1)
  /// The number of frames by which one side may be ahead of the other.
  public static let longestWait = 110

  /// Whether the canceller removes the echo where it is, so that the lag has not changed.
  var isExplained = false
  /// The lag; nil until it is certain for the first time.
  public var estimate: Estimate? {
    tracker.lag.map {
      Estimate(delay: .nanoseconds(Int64(seconds($0) * 1e9)), confidence: tracker.confidence)
    }
  }
  /// The estimate for the frame path, in seconds.
  var lagSeconds: Double? { tracker.lag.map { seconds($0) } }
  var confidence: Float { tracker.confidence }
  /// Whether the last update found another lag, instead of following the one before.
  var hasMoved: Bool { tracker.hasMoved }
  /// The seconds by which `shiftLags` changes a lag.
  static let lagShift = Double(PhaseCorrelator.block) / Double(EstimatorInput.hertz)
  /// Whether the reference contains the microphone.
  var hasCopyOfMicrophone: Bool { copyDetector.hasCopy }
  /// The number of updates of the estimate: one for each block that says something about the lag.
  public private(set) var updateCount = 0

  /// The duration of the signals compared so far, in seconds.
  var comparedSeconds: Double {
    Double(blockCount * PhaseCorrelator.block) / Double(EstimatorInput.hertz)
  }

  /// The seconds by which the conversion to 4 kHz delays the reference more than the microphone.
  private let referenceLateness: Double
  private var blockCount = 0
  private var tracker = LagTracker()
  private var correlator: PhaseCorrelator
  private var copyDetector: MicrophoneCopyDetector
  /// The reference: the last block that was compared, then the samples since.
  private var reference: EstimatorSide
  /// The microphone: the samples since the last block that was compared.
  private var microphone: EstimatorSide
  private var nextStep = PhaseCorrelator.stepCount + 1
  private var blocksToShift = 0  // of the reference, before the next block of the microphone
  private var staleCount = 0  // samples to come with the echo from before a step or reset

  /// Creates an estimator. `heldBack` is the time by which the microphone comes later than its samples'
  /// indexes say.
  public init(
    microphone: SampleRate, reference: SampleRate, heldBack: Duration = .zero
  ) throws(FrameResampler.ResamplingError) {
    // Calls that throw come first: a noncopyable value cannot be abandoned half initialized.
    let reference = try EstimatorSide(rate: reference, keeps: PhaseCorrelator.block)
    let microphone = try EstimatorSide(rate: microphone, keeps: 0)
    let lateness = reference.latency - microphone.latency
    referenceLateness = lateness
    self.reference = reference
    self.microphone = microphone
    correlator = PhaseCorrelator()
    copyDetector = MicrophoneCopyDetector(
      heldBack: heldBack / .seconds(1) - lateness)
  }

  /// Adds the next 10 ms of the reference. Frames follow one another without gaps. Neither side
  /// may be more than `longestWait` frames ahead. Runs per frame: no allocation, lock, log or
  /// await.
  public mutating func append(reference frame: borrowing Frame) {
    reference.append(frame)
  }

  /// Adds the next 10 ms of the microphone, and continues to compare the samples of both sides.
  /// Runs per frame: no allocation, lock, log or await.
  public mutating func append(microphone frame: borrowing Frame) {
    microphone.append(frame)
    copyDetector.run()
    repeat { advance() } while hasBlock
  }

  private var hasBlock: Bool {
    let block = PhaseCorrelator.block
    return microphone.count >= block && reference.count >= block * (1 + blocksToShift)
  }

  /// Runs the next step of the work on a block, which is spread over the frames that follow the
  /// block.
  private mutating func advance() {
    if nextStep < PhaseCorrelator.stepCount {
      correlator.run(step: nextStep)
      nextStep += 1
    } else if nextStep == PhaseCorrelator.stepCount {
      nextStep += 1
      guard correlator.isInformed else { return }
      tracker.update(
        correlator.correlation, isExplained: isExplained,
        lacksEcho: tracker.lag.map { !correlator.hasReference(at: $0) } ?? false)
      updateCount += 1
    } else if hasBlock {
      begin()
    }
  }

  private mutating func begin() {
    let block = PhaseCorrelator.block
    copyDetector.append(microphone: microphone.start)
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
      correlator.isSearching = tracker.lag == nil
      correlator.begin(
        reference: repeatsReference ? nil : reference.start, microphone: microphone.start)
      nextStep = 0
    }
    if !repeatsReference { dropReferenceBlock() }
    microphone.dropBlock()
    tracker.drift(by: Float(correlator.drift))
    blockCount += 1
  }

  private mutating func dropReferenceBlock() {
    copyDetector.append(reference: reference.start + PhaseCorrelator.block)
    reference.dropBlock()
  }

  /// Whether `shiftLags` may be called, because the work on the last block is done.
  var canShiftLags: Bool { nextStep > PhaseCorrelator.stepCount && blocksToShift == 0 }

  /// Compares the microphone from now on with a reference that is newer by a block of 128 ms, which
  /// makes every lag longer by 128 ms, or with an older one. The estimate and the averages are
  /// kept.
  mutating func shiftLags(isLonger: Bool) {
    blocksToShift = isLonger ? 1 : -1
    correlator.shiftLags(isLonger: isLonger)
    tracker.shift(by: blocksToShift * PhaseCorrelator.block)
  }

  /// Follows a known drift, in parts per million.
  mutating func follow(drift: Double) {
    correlator.drift = drift * 1e-6 * Double(PhaseCorrelator.block)
  }

  /// Changes the lag by a known number of seconds.
  mutating func jump(by seconds: Double) {
    correlator.forget()
    tracker.jump(by: Float(seconds * Double(EstimatorInput.hertz)))
  }

  /// Changes the lag by a known number of seconds, for the echo that the microphone hears `delay`
  /// seconds from now. Blocks with echo from before the change are not compared.
  mutating func step(by seconds: Double, in delay: Double) {
    jump(by: seconds)
    staleCount = microphone.count + Int(delay * Double(EstimatorInput.hertz))
  }

  /// Discards the estimate and the averages, for example when the route has changed. The block that
  /// contains samples from before is not compared: its echo would be found again.
  public mutating func reset() {
    correlator.forget()
    follow(drift: 0)
    tracker = LagTracker()
    staleCount = max(staleCount, microphone.count)
  }

  private func seconds(_ lag: Float) -> Double {
    max(0, Double(lag) / Double(EstimatorInput.hertz) + referenceLateness)
  }
}

/// The samples of one side at 4 kHz that wait to be compared, behind those that are kept.
struct EstimatorSide: ~Copyable {
  private var input: EstimatorInput
  private let samples: FloatBuffer
  private let kept: Int
  /// The number of samples that wait.
  private(set) var count = 0

  init(rate: SampleRate, keeps kept: Int) throws(FrameResampler.ResamplingError) {
    input = try EstimatorInput(rate: rate)
    self.kept = kept
    samples = FloatBuffer(
      kept + PhaseCorrelator.block
        + (1 + DelayEstimator.longestWait) * EstimatorInput.samplesPerFrame)
  }

  var latency: Double { input.latency }

  /// The first kept sample.
  var start: UnsafeMutablePointer<Float> { samples.start }

  mutating func append(_ frame: borrowing Frame) {
    input.process(frame, into: start + kept + count)
    count += EstimatorInput.samplesPerFrame
  }

  /// Drops the oldest block, so that the kept samples are those before the ones that wait.
  mutating func dropBlock() {
    count -= PhaseCorrelator.block
    start.update(from: start + PhaseCorrelator.block, count: kept + count)
  }
}
