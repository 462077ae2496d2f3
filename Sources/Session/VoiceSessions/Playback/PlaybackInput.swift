internal import AudioCodecs
internal import AudioCore

/// One input of the playback mix: takes frames from its timeline and converts them to the format of
/// the playback.
///
/// In real time it is elastic: `PlayoutControl` decides how a frame is read, and `FrameSplicer` shortens
/// or lengthens it. Under the media clock each sample is read in its turn.
struct PlaybackInput: ~Copyable {
  /// The last frame in the format of the input.
  let frame: Frame
  /// The last frame in the format of the playback.
  let converted: Frame
  private let isElastic: Bool
  private let splicer: FrameSplicer
  private(set) var timeline: InputTimeline
  private var converter: FrameConverter
  private var control: PlayoutControl
  private var elapsed: Int64 = 0

  init(
    _ format: AudioFormat, playback: AudioFormat, isElastic: Bool,
    longestLead: Duration = InputTimeline.longestLead
  ) throws {
    converter = try FrameConverter(
      from: format.rate, format.channelCount, to: playback.rate, playback.channelCount)
    self.isElastic = isElastic
    splicer = FrameSplicer(format: format)
    control = PlayoutControl(rate: format.rate)
    timeline = InputTimeline(
      format: format, lateness: .takenNext, longestLead: longestLead,
      history: isElastic ? control.history : 0)
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    converted = Frame(rate: playback.rate, channelCount: playback.channelCount)
  }

  /// Whether the last frame is digital silence.
  var isSilent: Bool { frame.peak == 0 }

  /// Whether the last frame is loud enough to be a far end that talks.
  var isAudible: Bool { frame.meanSquare > TurnDetector.audible }

  /// The state of the elastic buffer, or nil under the media clock.
  var buffer: SessionStatistics.Buffer? {
    guard isElastic else { return nil }
    func duration(_ samples: Int64) -> Duration {
      frame.rate.duration(ofSamples: Int(max(0, samples)))
    }
    return SessionStatistics.Buffer(
      delay: duration(control.delay), target: duration(control.target))
  }

  /// Appends samples.
  ///
  /// - Returns: How many samples were missing before them.
  mutating func append(
    _ samples: InputSamples, firstSample: Int64?
  ) throws(InputError) -> Int64 {
    try timeline.append(samples, firstSample: firstSample)
  }

  /// Moves on by 10 ms. Missing samples are concealed.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func advance() {
    if isElastic {
      readElastic()
    } else {
      timeline.read(into: frame)
    }
    converter.process(frame, into: converted)
  }

  private mutating func readElastic() {
    let reading = PlayoutControl.Reading(
      elapsed: elapsed, arrived: timeline.arrived, waiting: timeline.waiting)
    elapsed += Int64(frame.sampleCount)
    switch control.next(reading) {
    case .play: splice(by: 0, likeness: 1)
    case .shorten(let range): splice(range, direction: 1)
    case .lengthen(let range):
      if timeline.canMoveBack(by: range.upperBound) {
        splice(range, direction: -1)
      } else {
        splice(by: 0, likeness: 1)
      }
    case .catchUp(let most, let range):
      let quiet = splicer.quietSamples(timeline, limit: most)
      if quiet > 0 {
        splice(by: quiet, likeness: 0)
        control.caughtUp(by: quiet)
      } else if let range {
        control.caughtUp(by: splice(range, direction: 1))
      } else {
        splice(by: 0, likeness: 1)
      }
    }
  }

  /// - Returns: The shift that was found best.
  @discardableResult
  private mutating func splice(_ range: ClosedRange<Int>, direction: Int) -> Int {
    let best = splicer.bestShift(timeline, range, direction: direction)
    splice(by: direction * best.shift, likeness: best.likeness)
    return best.shift
  }

  private mutating func splice(by shift: Int, likeness: Float) {
    if shift == 0 {
      timeline.copyFrame(into: frame)
    } else {
      splicer.splice(timeline, by: shift, likeness: likeness, into: frame)
    }
    timeline.move(by: frame.sampleCount + shift)
  }

  /// Adds the last frame to the mix with a gain that moves evenly between two factors.
  /// Runs per frame: no allocation, lock, log or await.
  func add(to mix: borrowing Frame, from first: Float = 1, to last: Float = 1) {
    mix.add(converted, from: first, to: last)
  }

  /// Keeps only the newest samples until they are played again.
  mutating func rest() { timeline.rest() }

  /// Drops all samples that wait behind a `share` of the next frame, with a fade of 5 ms.
  mutating func clear(after share: Float) {
    timeline.clear(after: Int((share * Float(frame.sampleCount)).rounded()))
    control.restart()
  }
}
