public import AudioCore

/// A jitter buffer between two clocks: frames come when they come, and are read steadily.
///
/// It starts when `margin` more than a frame is there. From then on the least that is left after a
/// read is kept near the margin by reading a little faster or slower (`RateController`), so that
/// clocks may differ for ever. What counts is the level between frames: each counts as coming sample
/// by sample until the next. When it runs dry it gives silence, faded, and starts anew with a larger
/// margin, which shrinks again while all is well. What it holds too much of is skipped, cross-faded.
public struct PlayoutBuffer: ~Copyable {
  public struct Settings: Sendable {
    /// At first, and at least.
    public var leastMargin = Duration.milliseconds(10)
    /// At most, however often it runs dry.
    public var largestMargin = Duration.milliseconds(200)
    /// More above the margin for half a second is skipped: bursts are shorter. Less goes slowly, as each
    /// jump is another path to an echo canceller.
    public var surplus = Duration.milliseconds(20)

    public init() {}
  }

  /// What has been seen so far, in samples where nothing else is said.
  public struct Status: Sendable, Equatable {
    public var margin: Int
    /// Least of the last second, after a read.
    public var leastLevel = 0
    /// By which it is read faster than it is written to by its own clock, in parts per million.
    public var deviation = 0.0
    public var skipped: Int64 = 0
    /// By which all that follows is heard later, for silence and skips, in whole samples. What a `clear`
    /// has moved is not in it.
    public var added: Int64 = 0
    public var underrunCount = 0
  }

  /// In reads.
  private static let second = 100

  public private(set) var status: Status
  private var buffer: ElasticBuffer
  private var controller: RateController
  private let settings: Settings
  private let frameSize: Int
  private var isRunning = false
  private var wasCleared = true
  private var wantsFadeIn = false
  private var lastWrite: Int64 = 0  // in ns
  private var flowLeast = Double.infinity  // between frames, of the second that runs
  private var lastFlowLeast = 0.0  // of the second before
  private var windowLeast = Double.infinity  // of the second that runs
  private var quarterLeast = Double.infinity  // of the quarter of a second that runs
  private var lastQuarterLeast = 0.0  // of the one before
  private var reads = 0
  private var calmReads = 0

  public init(rate: SampleRate, channelCount: Int, settings: Settings = Settings()) {
    self.settings = settings
    frameSize = rate.samplesPerFrame
    buffer = ElasticBuffer(
      rate: rate, channelCount: channelCount,
      capacity: rate.samples(in: settings.largestMargin + .seconds(1)))
    controller = RateController(rate: Double(rate.hertz))
    status = Status(margin: rate.samples(in: settings.leastMargin))
  }

  /// Of the next sample that is read, among those that came.
  public var position: Double { buffer.position }

  /// Samples that wait to be read.
  public var level: Double { max(0, Double(buffer.written) - buffer.position) }

  /// Takes in the next 10 ms, which come at a time in ns of any clock that is the same for all calls.
  /// Runs per frame: no allocation, lock, log or await.
  public mutating func write(_ frame: borrowing Frame, at time: Int64) {
    buffer.write(frame)
    lastWrite = time
  }

  /// Reads the next 10 ms, at a time in ns.
  ///
  /// - Returns: Whether there was sound to be read; silence counts where it was written.
  ///   Runs per frame: no allocation, lock, log or await.
  @discardableResult
  public mutating func read(into frame: borrowing Frame, at time: Int64) -> Bool {
    let step = 1 + controller.deviation * 1e-6
    if !isRunning, buffer.level >= Double(frameSize + status.margin) {
      isRunning = true
      wantsFadeIn = true
      wasCleared = false
    }
    guard isRunning else { return giveSilence(frame) }
    guard buffer.hasFrame(step: step) else { return runDry(frame, step) }
    if let surplus = dueSkip() {
      skip(surplus.rounded(), into: frame, step)
    } else {
      buffer.read(into: frame, step: step)
    }
    if wantsFadeIn { fade(frame, from: 0, to: 1) }
    wantsFadeIn = false
    noteLevel(at: time)
    return true
  }

  /// Forgets all that waits, and starts anew.
  public mutating func clear() {
    buffer.clear()
    isRunning = false
    wasCleared = true
    forgetLevels()
  }

  /// By how much it is to skip now, in samples.
  private mutating func dueSkip() -> Double? {
    if reads == Self.second {
      // Soon after a start nobody minds it, and all else is slow.
      let surplus = lastFlowLeast - flowTarget
      return surplus > RateController.off * Double(buffer.rate.hertz) ? surplus : nil
    }
    guard reads.isMultiple(of: Self.second / 4) else { return nil }
    let surplus = min(quarterLeast, lastQuarterLeast) - flowTarget
    (lastQuarterLeast, quarterLeast) = (quarterLeast, .infinity)
    return surplus > Double(buffer.rate.samples(in: settings.surplus)) ? surplus : nil
  }

  /// `surplus` in whole samples.
  private mutating func skip(_ surplus: Double, into frame: borrowing Frame, _ step: Double) {
    buffer.skip(surplus, into: frame, step: step)
    status.skipped += Int64(surplus)
    status.added -= Int64(surplus)
    lastQuarterLeast = 0
    (windowLeast, flowLeast) = (.infinity, .infinity)
    controller.skipped(surplus)
  }

  /// The last that is there, and then silence.
  private mutating func runDry(_ frame: borrowing Frame, _ step: Double) -> Bool {
    isRunning = false
    calmReads = 0
    status.underrunCount += 1
    let limit = buffer.rate.samples(in: settings.largestMargin)
    status.margin = min(limit, status.margin + frameSize)
    forgetLevels()
    // In whole samples of the reader, so that it can say by how much all that follows is later.
    let rest = Int(buffer.level / step)
    guard rest >= 1 else { return giveSilence(frame) }
    // Slower, so that the rest lasts for the frame: at most a few ms of it are heard before it fades.
    buffer.read(into: frame, step: Double(rest) * step / Double(frameSize))
    fade(frame, from: 1, to: 0)
    noteSilence(frameSize - rest)
    return true
  }

  private mutating func giveSilence(_ frame: borrowing Frame) -> Bool {
    frame.clear()
    noteSilence(frameSize)
    return false
  }

  private mutating func noteSilence(_ samples: Int) {
    if !wasCleared { status.added += Int64(samples) }
  }

  private mutating func noteLevel(at time: Int64) {
    reads += 1
    let level = buffer.level
    let since = Double(time - lastWrite) * 1e-9 * Double(buffer.rate.hertz)
    let flow = level + max(0, min(Double(frameSize), since))
    flowLeast = min(flowLeast, flow)
    quarterLeast = min(quarterLeast, flow)
    windowLeast = min(windowLeast, level)
    if reads == Self.second / 2 { flowLeast = .infinity }
    if reads.isMultiple(of: Self.second) { endSecond() }
    calmReads += 1
    let least = buffer.rate.samples(in: settings.leastMargin)
    if calmReads.isMultiple(of: 1000), status.margin > least {
      status.margin = max(least, status.margin - frameSize / 2)
    }
  }

  private mutating func endSecond() {
    status.leastLevel = Int(windowLeast)
    lastFlowLeast = flowLeast
    // The first second is that of the start.
    if reads > Self.second {
      controller.update(level: flowLeast, target: flowTarget, seconds: 1)
    }
    status.deviation = controller.deviation
    (windowLeast, flowLeast) = (.infinity, .infinity)
  }

  /// Wherever between two frames it is read, half a frame more than the margin is there on average.
  private var flowTarget: Double { Double(frameSize / 2 + status.margin) }

  private mutating func forgetLevels() {
    (windowLeast, flowLeast) = (.infinity, .infinity)
    (quarterLeast, lastQuarterLeast) = (.infinity, 0)
    controller.restart()
    status.deviation = controller.deviation
    reads = 0
  }

  private func fade(_ frame: borrowing Frame, from first: Float, to last: Float) {
    let step = (last - first) / Float(frameSize)
    for channel in 0..<buffer.channelCount {
      let plane = frame.planePointers[channel]
      for index in 0..<frameSize { plane[index] *= first + step * Float(index + 1) }
    }
  }
}
