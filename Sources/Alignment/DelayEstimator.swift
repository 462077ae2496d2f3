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
  /// How many times the estimate was made anew from a block; what changed it is in `estimate`.
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

  private var hasBlock: Bool { min(referenceCount, microphoneCount) >= PhaseCorrelator.block }

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
    correlator.begin(reference: reference.start, microphone: microphone.start)
    referenceCount -= block
    microphoneCount -= block
    reference.start.update(from: reference.start + block, count: block + referenceCount)
    microphone.start.update(from: microphone.start + block, count: microphoneCount)
    tracker.drift(by: Float(correlator.drift))
    nextStep = 0
    blockCount += 1
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

  /// Forgets all that was found, as where a route has changed.
  public mutating func reset() {
    correlator.forget()
    tracker = LagTracker()
  }

  private func seconds(_ lag: Float) -> Double {
    max(0, Double(lag) / Double(EstimatorInput.hertz) + referenceLateness)
  }
}
