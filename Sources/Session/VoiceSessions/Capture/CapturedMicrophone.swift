internal import AudioCore

/// The microphone of a session, frame by frame, with the spans that are not as they were captured.
struct CapturedMicrophone: ~Copyable {
  /// The last frame that was read, as it was captured.
  let frame: Frame
  /// The same frame in the direction in which the microphone hears.
  let directed: Frame
  private var timeline: InputTimeline
  private var settled: Int64 = 0  // the samples that had arrived before the last chunk
  private var pair: MicrophonePair?
  private var concealed: ConcealedSpans
  private var standing = StandingIndex()
  /// Nil under the media clock.
  private var repetition: Repetition?

  /// Creates a microphone. `heldBack` is the delay until its frames are processed.
  init(_ setup: SessionSetup, heldBack: Duration) {
    let format = setup.microphone
    timeline = InputTimeline(format: format, longestLead: nil)
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    directed = Frame(rate: format.rate, channelCount: format.channelCount)
    pair =
      format.channelCount == 2 ? MicrophonePair(setup.microphonePair, rate: format.rate) : nil
    concealed = ConcealedSpans(
      frameSize: frame.sampleCount, delay: format.rate.samples(in: heldBack))
    repetition = setup.isRealTime ? Repetition(rate: format.rate) : nil
  }

  /// The samples that arrived, gaps included.
  var arrived: Int64 { timeline.arrived }
  /// The samples that wait.
  var waiting: Int { timeline.waiting }
  var hasFrame: Bool { timeline.hasFrame }

  /// Returns whether this number of frames arrived after the next one, before the last chunk.
  func hasWaited(frames: Int) -> Bool {
    let size = Int64(frame.sampleCount)
    return settled - (timeline.taken + size) >= Int64(frames) * size
  }

  /// Appends samples. Returns how many were missing before them, and the place of the first one.
  mutating func append(
    _ samples: InputSamples, firstSample: Int64?
  ) throws(InputError) -> (missing: Int64, first: Int64) {
    settled = timeline.arrived
    let firstSample = standing.place(firstSample, samples, in: &timeline)
    if let firstSample { try repetition?.place(samples, at: firstSample, in: &timeline) }
    let missing = try timeline.append(samples, firstSample: firstSample)
    if missing > 0 {
      let end = settled + missing + Int64(SampleQueue.fadeSamples(at: timeline.format.rate))
      concealed.add(settled..<end)
    }
    return (missing, firstSample.map { timeline.index(of: $0) } ?? settled)
  }

  /// The client's index of the sample after the last one that arrived.
  var expectedIndex: Int64 { timeline.expectedIndex }

  /// Reads the next frame. Runs per frame: no allocation, lock, log or await.
  mutating func readFrame() {
    timeline.read(into: frame)
    directed.copy(frame)
    pair?.process(directed)
  }

  /// Returns whether the next frame that is processed has concealed samples. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func isNextFrameConcealed() -> Bool { concealed.reachNextFrame() }

  /// Returns the sample from which on the microphone is as it was captured: this one, or the end of its
  /// concealed span.
  func capturedSample(from sample: Int64) -> Int64 { concealed.end(of: sample) }

  /// Uses two channels in another way from the next frame on. Does nothing for one channel.
  mutating func use(_ layout: MicrophonePair.Layout?) { pair?.change(to: layout) }
}

/// A microphone whose client has begun to count anew, for example with another device: its samples would
/// all be dropped, as those that are repeated are. They continue behind the last ones that arrived.
private struct Repetition {
  /// A client that continues a session may repeat as much as it keeps, which is less.
  private static let longest = Duration.seconds(3)
  /// The time for which samples from before that come, until they are no stray chunk.
  private static let patience = Duration.milliseconds(200)

  private let limits: (longest: Int64, patience: Int64)
  /// The index of the first of the repeated samples.
  private var first: Int64?

  init(rate: SampleRate) {
    limits = (
      Int64(rate.samples(in: Self.longest)), Int64(rate.samples(in: Self.patience))
    )
  }

  /// Places a chunk, if those before it were repeated for too long or from too long ago. Chunks that overlap
  /// bring new samples.
  mutating func place(
    _ samples: InputSamples, at firstSample: Int64, in timeline: inout InputTimeline
  ) throws(InputError) {
    guard timeline.isIndex(firstSample, before: timeline.arrived),
      firstSample + Int64(try timeline.sampleCount(samples)) <= timeline.expectedIndex
    else { return first = nil }
    let first = min(first ?? firstSample, firstSample)
    self.first = first
    let isFromLongAgo = timeline.expectedIndex - firstSample > limits.longest
    guard firstSample - first >= (isFromLongAgo ? limits.patience : limits.longest) else { return }
    _ = timeline.place(firstSample, at: timeline.arrived)
    self.first = nil
  }
}

/// Spans of the microphone's samples that are not as they were captured, such as those of a gap. Frames are
/// asked for in their order.
struct ConcealedSpans {
  private var spans: [Range<Int64>] = []
  private var next: Range<Int64>

  /// `delay` is the number of samples by which the frames come later than the microphone's.
  init(frameSize: Int, delay: Int) {
    next = Int64(-delay)..<Int64(frameSize - delay)
  }

  /// Adds a span that begins after the start of the last one.
  mutating func add(_ span: Range<Int64>) {
    guard let last = spans.last, last.upperBound >= span.lowerBound else {
      return spans.append(span)
    }
    spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
  }

  /// Returns the end of the span with a sample, or the sample if no span has it. Spans of frames that were
  /// asked for are forgotten.
  func end(of sample: Int64) -> Int64 {
    spans.first { $0.contains(sample) }?.upperBound ?? sample
  }

  /// Returns whether the next frame contains such samples. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func reachNextFrame() -> Bool {
    while let first = spans.first, first.upperBound <= next.lowerBound { spans.removeFirst() }
    let isReached = spans.first?.overlaps(next) ?? false
    next = next.upperBound..<next.upperBound + Int64(next.count)
    return isReached
  }
}
