public import AudioCore

/// A jitter buffer between two clocks. Frames arrive irregularly and are read steadily.
///
/// Reading starts when a frame and `margin` more have arrived. From then on `RateController` makes
/// it read a little faster or slower, so that the least level after a read stays near the margin,
/// however long the clocks differ. The level is measured between frames, as if each frame arrived
/// sample by sample until the next. If the buffer runs dry, it fades to silence and starts again
/// with a larger margin, which shrinks while there is no underrun. A surplus is skipped with a
/// cross-fade.
public struct PlayoutBuffer: ~Copyable {
  public struct Settings: Sendable {
    /// The first and the least margin.
    public var leastMargin = Duration.milliseconds(10)
    /// The largest margin, however often the buffer runs dry.
    public var largestMargin = Duration.milliseconds(200)
    /// A surplus above the margin that lasts for half a second, longer than a burst, is skipped. A
    /// smaller one is reduced slowly, because an echo canceller must adapt to each jump.
    public var surplus = Duration.milliseconds(20)

    public init() {}
  }

  /// The state of the buffer. Counts are in samples.
  public struct Status: Sendable, Equatable {
    public var margin: Int
    /// The least level after a read, in the last second.
    public var leastLevel = 0
    /// The rate at which the buffer is read faster than its writer's nominal rate, in parts per
    /// million.
    public var deviation = 0.0
    public var skipped: Int64 = 0
    /// The whole samples by which silence and skips have made the following samples later. Samples
    /// that a `clear` has dropped do not count.
    public var added: Int64 = 0
    public var underrunCount = 0
  }

  /// The number of reads in a second.
  private static let second = 100
  /// The time in ns after a frame from which the writer counts as stopped.
  private static let longestWait: Int64 = 1_000_000_000

  public private(set) var status: Status
  private var buffer: ElasticBuffer
  private var arrivals: ArrivalDrift
  private var controller: RateController
  private let settings: Settings
  private let frameSize: Int
  private var isRunning = false
  private var wasCleared = true
  private var wantsFadeIn = false
  private var lastWrite: Int64 = 0  // in ns
  private var levels = Levels()
  private var counted: Int64 = 0  // samples of the reader's clock, silence included

  public init(rate: SampleRate, channelCount: Int, settings: Settings = Settings()) {
    self.settings = settings
    frameSize = rate.samplesPerFrame
    buffer = ElasticBuffer(
      rate: rate, channelCount: channelCount,
      capacity: rate.samples(in: settings.largestMargin + .seconds(1)))
    arrivals = ArrivalDrift(rate: Double(rate.hertz))
    controller = RateController(rate: Double(rate.hertz))
    status = Status(margin: rate.samples(in: settings.leastMargin))
  }

  /// The position of the next sample to be read, among those written.
  public var position: Double { buffer.position }

  /// The number of samples that wait to be read.
  public var level: Double { max(0, Double(buffer.written) - buffer.position) }

  /// Adds the next 10 ms, which arrive at a time in ns of a clock that is the same for all
  /// calls. Runs per frame: no allocation, lock, log or await.
  public mutating func write(_ frame: borrowing Frame, at time: Int64) {
    buffer.write(frame)
    lastWrite = time
  }

  /// Reads the next 10 ms, at a time in ns.
  ///
  /// - Returns: Whether there was a frame to read. Silence that was written counts as a frame.
  ///   Runs per frame: no allocation, lock, log or await.
  @discardableResult
  public mutating func read(into frame: borrowing Frame, at time: Int64) -> Bool {
    recordArrivals(at: time)
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
    recordLevel(at: time)
    return true
  }

  /// Drops the samples that wait, and starts again.
  public mutating func clear() {
    buffer.clear()
    isRunning = false
    wasCleared = true
    arrivals.interrupt()
    forgetLevels()
  }

  /// Returns the number of samples to skip now, or nil.
  private mutating func dueSkip() -> Double? {
    if levels.reads == Self.second {
      // Soon after a start, a skip disturbs nobody.
      let surplus = levels.lastFlowLeast - flowTarget
      return surplus > RateController.off * Double(buffer.rate.hertz) ? surplus : nil
    }
    guard levels.reads.isMultiple(of: Self.second / 4) else { return nil }
    let surplus = levels.endQuarter() - flowTarget
    return surplus > Double(buffer.rate.samples(in: settings.surplus)) ? surplus : nil
  }

  /// `surplus` in whole samples.
  private mutating func skip(_ surplus: Double, into frame: borrowing Frame, _ step: Double) {
    buffer.skip(surplus, into: frame, step: step)
    status.skipped += Int64(surplus)
    status.added -= Int64(surplus)
    levels.lastQuarterLeast = 0
    levels.beginSecond()
    controller.skipped(surplus)
  }

  /// Reads the samples that are left, faded out, and then silence.
  private mutating func runDry(_ frame: borrowing Frame, _ step: Double) -> Bool {
    isRunning = false
    levels.calmReads = 0
    status.underrunCount += 1
    let limit = buffer.rate.samples(in: settings.largestMargin)
    status.margin = min(limit, status.margin + frameSize)
    forgetLevels()
    // In whole samples of the reader, so that `added` is exact.
    let rest = Int(buffer.level / step)
    guard rest >= 1 else { return giveSilence(frame) }
    // Slower, so that the rest lasts for the frame. Only its first few ms are heard before it
    // fades.
    buffer.read(into: frame, step: Double(rest) * step / Double(frameSize))
    fade(frame, from: 1, to: 0)
    recordSilence(frameSize - rest)
    return true
  }

  private mutating func giveSilence(_ frame: borrowing Frame) -> Bool {
    frame.clear()
    recordSilence(frameSize)
    return false
  }

  private mutating func recordSilence(_ samples: Int) {
    if !wasCleared { status.added += Int64(samples) }
  }

  /// Returns how many samples of the next frame would have arrived if it came sample by sample.
  private func begun(at time: Int64) -> Double {
    let since = Double(time - lastWrite) * 1e-9 * Double(buffer.rate.hertz)
    return max(0, min(Double(frameSize), since))
  }

  private mutating func recordArrivals(at time: Int64) {
    counted += Int64(frameSize)
    if time - lastWrite < Self.longestWait {
      arrivals.record(lead: Double(buffer.written - counted) + begun(at: time))
    } else {
      arrivals.interrupt()
    }
  }

  private mutating func recordLevel(at time: Int64) {
    levels.record(buffer.level, flow: buffer.level + begun(at: time))
    if levels.reads == Self.second / 2 { levels.flowLeast = .infinity }
    if levels.reads.isMultiple(of: Self.second) { endSecond() }
    let least = buffer.rate.samples(in: settings.leastMargin)
    if levels.calmReads.isMultiple(of: 1000), status.margin > least {
      status.margin = max(least, status.margin - frameSize / 2)
    }
  }

  private mutating func endSecond() {
    status.leastLevel = Int(levels.windowLeast)
    levels.lastFlowLeast = levels.flowLeast
    // The first second is that of the start.
    if levels.reads > Self.second {
      controller.update(level: levels.flowLeast, target: flowTarget, drift: arrivals.drift)
    }
    status.deviation = controller.deviation
    levels.beginSecond()
  }

  /// The average level between two frames is half a frame above the margin, whenever the buffer is
  /// read.
  private var flowTarget: Double { Double(frameSize / 2 + status.margin) }

  private mutating func forgetLevels() {
    levels.forget()
    controller.restart(drift: arrivals.drift)
    status.deviation = controller.deviation
  }

  private func fade(_ frame: borrowing Frame, from first: Float, to last: Float) {
    let step = (last - first) / Float(frameSize)
    for channel in 0..<buffer.channelCount {
      let plane = frame.planePointers[channel]
      for index in 0..<frameSize { plane[index] *= first + step * Float(index + 1) }
    }
  }
}

/// The least levels after the reads of a `PlayoutBuffer`, in samples. The flow is the level as if
/// each frame arrived sample by sample.
private struct Levels {
  /// The least flow in the current second, and in the second before.
  var flowLeast = Double.infinity
  var lastFlowLeast = 0.0
  /// The least level in the current second.
  private(set) var windowLeast = Double.infinity
  /// The least flow in the current quarter of a second, and in the quarter before.
  private var quarterLeast = Double.infinity
  var lastQuarterLeast = 0.0
  /// The reads since the last start, and those since the last underrun.
  private(set) var reads = 0
  var calmReads = 0

  mutating func record(_ level: Double, flow: Double) {
    reads += 1
    calmReads += 1
    flowLeast = min(flowLeast, flow)
    quarterLeast = min(quarterLeast, flow)
    windowLeast = min(windowLeast, level)
  }

  mutating func beginSecond() { (windowLeast, flowLeast) = (.infinity, .infinity) }

  /// Begins the next quarter of a second. Returns the least flow of the last two.
  mutating func endQuarter() -> Double {
    defer { (lastQuarterLeast, quarterLeast) = (quarterLeast, .infinity) }
    return min(quarterLeast, lastQuarterLeast)
  }

  /// Forgets the levels of before a start.
  mutating func forget() {
    beginSecond()
    (quarterLeast, lastQuarterLeast) = (.infinity, 0)
    reads = 0
  }
}
