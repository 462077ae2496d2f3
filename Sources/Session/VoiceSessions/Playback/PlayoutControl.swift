internal import AudioCore

/// Decides how an input of the playback is read in real time, so that no sample waits longer than the
/// input's own jitter demands.
///
/// A state machine without a clock: the time is the number of samples that were read, and all that
/// it knows of an arrival is before which frame of the microphone it came. The same acts in the same
/// order give the same decisions.
///
/// The lateness of an arrival is the time of the next frame's end less the samples that arrived. The
/// earliest and the latest arrival of the last ten seconds tell the jitter. The reader is kept behind
/// the latest arrival by a small margin, by shortening and lengthening frames:
///
/// - Only the sender can be ahead on purpose, by arrivals that are more than 250 ms earlier than its
///   home, the lateness at which it was last in step. Such samples wait, as those of a prompt.
/// - Samples that wait because the reader is later than the home are a backlog. The backlog is
///   removed within 2 s.
/// - After a stall, a sender that sends on as it did before has the same home. A sender that does
///   not starts again with a new home.
/// - A drift of the sender's clock is followed by one short change a second.
struct PlayoutControl {
  enum Action: Equatable {
    case play
    /// Leaves out a number of samples within this range.
    case shorten(ClosedRange<Int>)
    /// Leaves out all of the quiet samples ahead, this number at most, or else a number within the range.
    case catchUp(quiet: Int, ClosedRange<Int>?)
    /// Repeats a number of samples within this range.
    case lengthen(ClosedRange<Int>)
  }

  /// The position of an input before a frame is read.
  struct Reading {
    /// Samples that were to be read since the session started.
    var elapsed: Int64
    /// Samples that arrived, gaps included.
    var arrived: Int64
    /// Samples that wait.
    var waiting: Int
  }

  private enum Phase: Equatable {
    /// Nothing has arrived yet, or not for a long time.
    case stopped
    case running
    /// The input has run dry for a number of frames.
    case dry(frames: Int)
    /// Sound is back after a stall.
    case settling(Settling)
  }

  /// The arrivals after a stall, in windows of 150 ms.
  private struct Settling: Equatable {
    var frames = 0
    /// The earliest arrival of this window, of the one before, and of all before this one.
    var earliest: Int64
    var before = Int64.max
    var earliestOfAll = Int64.max
    /// Whether arrivals went on when the sound was back, which those of a prompt do not.
    var wentOn = false
  }

  /// The state before a stall that goes on, and the latest arrival of its gap.
  private struct Stall {
    var earliestBefore: Int64 = 0
    var wasInStep = false
    var peak: Int64 = 0
  }

  /// The last arrival: the samples that had arrived, the frames since, and the lateness before the
  /// last frame.
  private struct LastArrival {
    var samples: Int64 = 0
    var frames = 0
    var lateness: Int64 = 0
  }

  /// The longest jitter that the target follows. A longer pause of the arrivals is a stall.
  static let largestJitter = Duration.milliseconds(200)
  /// A sender that is further ahead than this is so on purpose.
  static let largestSurplus = Duration.milliseconds(250)
  /// The longest backlog that is read away. The oldest samples of a longer one are left out.
  static let longestBacklog = Duration.milliseconds(1500)

  private static let framesToStop = 500
  private static let framesPerWindow = 15
  private static let framesToSettle = 200
  private static let framesToCatchUp = 140
  private static let framesOfMargin = 30_000
  private static let framesToDrain = 25
  private static let framesToKnow = 200

  /// The time that the next sample has waited since it could have arrived first.
  private(set) var delay: Int64 = 0
  /// The time that it should have waited.
  private(set) var target: Int64 = 0
  private let size: Int
  private let limits: (jitter: Int64, surplus: Int64, backlog: Int64, tolerance: Int64)
  private let shifts: (least: Int, span: Int, most: Int)
  private var phase = Phase.stopped
  private var arrivals = ArrivalWindow()
  private var home: Int64?  // the latest arrival when the sender was last in step
  private var stall = Stall()
  private var pace: Double?  // samples to leave out with each frame, while a backlog is read away
  private var debt = 0.0
  private var framesUntilChange = 0
  private var marginFrames = 0
  private var lastArrival = LastArrival()

  init(rate: SampleRate) {
    size = rate.samplesPerFrame
    func samples(_ duration: Duration) -> Int64 { Int64(rate.samples(in: duration)) }
    limits = (
      samples(Self.largestJitter), samples(Self.largestSurplus), samples(Self.longestBacklog),
      samples(.milliseconds(150))
    )
    // Of any voice above 71 Hz, a span of 14 ms holds a whole number of periods.
    shifts = (size / 4, size * 14 / 10, 2 * size)
  }

  /// Samples before the next one that a lengthened frame may repeat.
  var history: Int { shifts.most }

  /// Restarts after the waiting samples were dropped.
  mutating func restart() {
    phase = .stopped
    (arrivals, home) = (ArrivalWindow(), nil)
    (pace, debt) = (nil, 0)
    (delay, target) = (0, 0)
  }

  /// Decides about the next frame. Runs per frame: no allocation, lock, log or await.
  mutating func next(_ reading: Reading) -> Action {
    let arrival = reading.elapsed + Int64(size) - reading.arrived
    let lag = reading.elapsed - (reading.arrived - Int64(reading.waiting))
    lastArrival.frames = reading.arrived > lastArrival.samples ? 0 : lastArrival.frames + 1
    lastArrival.samples = reading.arrived
    framesUntilChange = max(0, framesUntilChange - 1)
    marginFrames = max(0, marginFrames - 1)
    defer { lastArrival.lateness = arrival }
    guard reading.waiting >= size else {
      runDry(arrival, hasSome: reading.waiting > 0)
      return .play
    }
    recover(arrival)
    if case .settling(let settling) = phase {
      settle(settling, arrival, lag: lag)
      delay = lag - stall.earliestBefore
      return .play
    }
    record(arrival, lag: lag)
    return change(lag: lag, waiting: reading.waiting)
  }

  /// Handles an arrival while the sound runs.
  private mutating func record(_ arrival: Int64, lag: Int64) {
    arrivals.advance()
    if lastArrival.frames == 0 || arrivals.isEmpty {
      arrivals.record(arrival)
      // The pause that this arrival ends. A long pause, which a backlog may have bridged, does not
      // count as jitter.
      if lastArrival.lateness <= max(arrivals.earliest + limits.jitter, home ?? lag) {
        arrivals.record(max(arrival, lastArrival.lateness))
      }
    }
    let latest = arrivals.latest
    let last = home ?? lag
    let isAhead = arrivals.earliest < last - limits.surplus
    let isNear = last - latest <= (isAhead ? Int64(4 * size) : limits.surplus) && isKnown
    home = latest > last || isNear ? latest : last
  }

  /// Whether arrivals were watched for long enough, and go on.
  private var isKnown: Bool {
    arrivals.frames >= Self.framesToKnow && lastArrival.frames < Self.framesToDrain
  }

  private mutating func runDry(_ arrival: Int64, hasSome: Bool) {
    switch phase {
    case .stopped:
      guard hasSome else { return }
      phase = .dry(frames: 0)
      (stall.earliestBefore, stall.peak, stall.wasInStep) = (arrival, arrival, false)
    case .running:
      stall.earliestBefore = arrivals.earliest
      stall.wasInStep = arrivals.latest - arrivals.earliest <= 2 * limits.jitter
      (phase, stall.peak) = (.dry(frames: 1), arrival)
    case .settling: (phase, stall.peak) = (.dry(frames: 1), arrival)
    case .dry(let frames):
      stall.peak = max(stall.peak, arrival)
      guard frames < Self.framesToStop else { return restart() }
      phase = .dry(frames: frames + 1)
    }
    (pace, debt) = (nil, 0)
  }

  /// A whole frame is there.
  private mutating func recover(_ arrival: Int64) {
    switch phase {
    case .stopped: phase = .running
    case .dry:
      marginFrames = Self.framesOfMargin
      if stall.peak - stall.earliestBefore <= limits.jitter {
        arrivals.record(stall.peak)
        phase = .running
      } else {
        phase = .settling(Settling(earliest: arrival))
      }
    case .running, .settling: break
    }
  }

  /// Waits until arrivals after a stall are steady, and distinguishes a sender that continues from
  /// one that starts again. The arrivals of a prompt, which is sent at once, grow later with each
  /// window.
  private mutating func settle(_ last: Settling, _ arrival: Int64, lag: Int64) {
    var next = last
    next.frames += 1
    next.earliest = min(next.earliest, arrival)
    if next.frames > Self.framesToDrain, lastArrival.frames == 0 { next.wentOn = true }
    phase = .settling(next)
    guard next.frames.isMultiple(of: Self.framesPerWindow) else { return }
    let nearest = min(
      next.earliest.distance(from: next.before), next.earliest.distance(from: next.earliestOfAll))
    next.earliestOfAll = min(next.earliestOfAll, next.earliest)
    let isSteady = nearest < limits.tolerance / 3
    let isBack = next.earliestOfAll.distance(from: stall.earliestBefore) <= limits.tolerance
    if isSteady || next.frames >= Self.framesToSettle && (next.wentOn || !stall.wasInStep) {
      resume(goesOn: stall.wasInStep || isSteady && isBack, isBack: isBack, next.earliest, lag: lag)
    } else if next.frames >= Self.framesToSettle {
      // A prompt, or a stall that the backlog of the last one bridges: the next arrivals will tell.
      phase = .settling(Settling(earliest: arrival))
    } else {
      (next.before, next.earliest) = (next.earliest, .max)
      phase = .settling(next)
    }
  }

  private mutating func resume(goesOn: Bool, isBack: Bool, _ earliest: Int64, lag: Int64) {
    phase = .running
    if goesOn { pace = 0 } else { home = lag }
    guard !goesOn || !isBack || arrivals.isEmpty else { return }
    arrivals = ArrivalWindow()
    arrivals.record(earliest)
  }

  private mutating func change(lag: Int64, waiting: Int) -> Action {
    let margin = Int64(marginFrames > 0 ? size : 0)
    let (earliest, latest) = (arrivals.earliest, arrivals.latest)
    (delay, target) = (lag - earliest, latest + margin - earliest)
    // The number of samples by which the reader is later than it should be.
    let surplus = lag - max(latest, home ?? latest) - margin
    let spare = Int(min(surplus, Int64(waiting - size)))
    // Jitter that is over leaves a backlog of its own.
    if pace == nil, isKnown, surplus > Int64(3 * size) { pace = 0 }
    if let pace {
      guard surplus > Int64(size) else {
        (self.pace, debt) = (nil, 0)
        return .play
      }
      return catchUp(spare: spare, surplus: surplus, pace)
    }
    guard framesUntilChange == 0, isKnown else { return .play }
    if surplus > Int64(size) {
      framesUntilChange = 100
      return range(upTo: spare).map { .shorten($0) } ?? .play
    }
    if lag - latest - margin < -Int64(size / 2), marginFrames > 0 {
      framesUntilChange = 50
      marginFrames = Self.framesOfMargin
      return range(upTo: shifts.most).map { .lengthen($0) } ?? .play
    }
    return .play
  }

  private mutating func catchUp(spare: Int, surplus: Int64, _ pace: Double) -> Action {
    if surplus > limits.backlog {
      let most = min(spare, Int(surplus - limits.backlog) + shifts.span)
      if most > shifts.most {
        return .catchUp(quiet: 0, max(shifts.least, most - shifts.span)...most)
      }
    }
    let pace = max(pace, Double(surplus) / Double(Self.framesToCatchUp))
    self.pace = pace
    debt += pace
    let isDue = debt >= Double(size / 2)
    return .catchUp(quiet: spare, isDue ? range(upTo: spare) : nil)
  }

  /// Records how many samples a frame was shortened by while a backlog is read away.
  mutating func caughtUp(by samples: Int) { debt = max(0, debt - Double(samples)) }

  /// The changes of length among which the best is looked for.
  private func range(upTo most: Int) -> ClosedRange<Int>? {
    let most = min(most, shifts.most)
    return most < shifts.least ? nil : max(shifts.least, most - shifts.span)...most
  }
}

/// The earliest and the latest arrival of the last ten seconds.
private struct ArrivalWindow {
  private static let framesPerBlock = 100

  private var earliestOfBlock = [10 of Int64](repeating: .max)
  private var latestOfBlock = [10 of Int64](repeating: .min)
  private var block = 0
  /// Frames since the window began.
  private(set) var frames = 0
  var isEmpty: Bool { earliest == .max }

  /// Moves on by a frame.
  mutating func advance() {
    frames += 1
    guard frames.isMultiple(of: Self.framesPerBlock) else { return }
    block = (block + 1) % earliestOfBlock.count
    (earliestOfBlock[block], latestOfBlock[block]) = (.max, .min)
  }

  mutating func record(_ arrival: Int64) {
    earliestOfBlock[block] = min(earliestOfBlock[block], arrival)
    latestOfBlock[block] = max(latestOfBlock[block], arrival)
  }

  var earliest: Int64 {
    var earliest = Int64.max
    for index in earliestOfBlock.indices { earliest = min(earliest, earliestOfBlock[index]) }
    return earliest
  }

  var latest: Int64 {
    var latest = Int64.min
    for index in latestOfBlock.indices { latest = max(latest, latestOfBlock[index]) }
    return latest
  }
}

extension Int64 {
  fileprivate func distance(from other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow || difference == .min ? .max : abs(difference)
  }
}
