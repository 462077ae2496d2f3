public import AudioCore

/// One input on the media clock: samples in by their index, frames out in order.
public struct InputTimeline: ~Copyable {
  /// What becomes of samples whose time has passed.
  public enum Lateness: Sendable {
    /// They are dropped: what belongs to the microphone's samples is of no use after them.
    case dropped
    /// They are taken next: what is to be heard is better heard late.
    case takenNext
  }

  /// Longer gaps are refused: no device is away for so long and comes back in the same stream.
  public static let longestGap = Duration.seconds(10)
  /// Longer chunks are refused.
  public static let longestChunk = Duration.seconds(1)
  /// More must not wait to be taken, ahead of the microphone.
  public static let longestLead = Duration.seconds(5)

  private let lateness: Lateness
  private let longestLead: Duration?
  private var queue: SampleQueue
  /// The index of the next sample to be taken.
  public private(set) var taken: Int64 = 0
  /// The index after the last sample that came.
  public private(set) var arrived: Int64 = 0

  /// Without a longest lead any number of samples may wait: for the microphone, which itself says
  /// when they are taken.
  public init(
    format: AudioFormat, lateness: Lateness = .dropped,
    longestLead: Duration? = InputTimeline.longestLead
  ) {
    self.lateness = lateness
    self.longestLead = longestLead
    queue = SampleQueue(format: format)
  }

  public var format: AudioFormat { queue.format }

  /// Samples of each channel that wait.
  public var waiting: Int { queue.count }

  public var hasFrame: Bool { queue.count >= format.rate.samplesPerFrame }

  /// Takes in a chunk. Samples seen before, and those whose time has passed, are dropped; a gap
  /// before it is filled with silence.
  ///
  /// - Returns: How many samples were missing.
  public mutating func append(
    _ bytes: UnsafeRawBufferPointer, firstSample: Int64?
  ) throws(InputFault) -> Int64 {
    try check(bytes, firstSample)
    let count = bytes.count / format.bytesPerSampleFrame
    let first = firstSample ?? arrived
    // Silence that was taken for want of samples fills a gap as well as any other.
    if lateness == .takenNext { taken = min(taken, max(arrived, first)) }
    let missing = max(0, first - arrived)
    let next = max(arrived, taken)  // the first sample that is still of use
    let late = Int(min(Int64(count), max(0, next - first)))
    if let longestLead, queue.count + count > samples(in: longestLead) {
      throw .tooFarAhead(longestLead)
    }
    if first > next { queue.appendConcealment(Int(first - next)) }
    let useful = UnsafeRawBufferPointer(rebasing: bytes[(late * format.bytesPerSampleFrame)...])
    if let fault = queue.append(useful) { throw .notANumber(sample: late + fault) }
    arrived = max(arrived, first + Int64(count))
    return missing
  }

  /// Moves the next 10 ms into a frame; what is not there yet is concealed, and what becomes of it
  /// when it comes is a matter of `Lateness`.
  ///
  /// - Returns: How many samples were there.
  @discardableResult
  public mutating func take(into frame: borrowing Frame) -> Int {
    taken += Int64(frame.sampleCount)
    return queue.take(into: frame)
  }

  /// Forgets what waits, but for a fade of `fadeSamples`.
  public mutating func clear(fadeSamples: Int) {
    guard queue.count > 0 else { return }
    taken = arrived - Int64(queue.fadeOut(after: fadeSamples))
  }

  private func check(
    _ bytes: UnsafeRawBufferPointer, _ firstSample: Int64?
  ) throws(InputFault) {
    guard !bytes.isEmpty || firstSample != nil else { throw .empty }
    guard bytes.count % format.bytesPerSampleFrame == 0 else {
      throw .partialSampleFrame(bytes: bytes.count, sampleFrame: format.bytesPerSampleFrame)
    }
    guard bytes.count / format.bytesPerSampleFrame <= samples(in: Self.longestChunk) else {
      throw .tooLong(Self.longestChunk)
    }
    if let firstSample {
      guard firstSample >= 0, firstSample - arrived <= Int64(samples(in: Self.longestGap)) else {
        throw .impossiblePosition(firstSample, expected: arrived)
      }
    }
  }

  private func samples(in duration: Duration) -> Int {
    Int(duration.components.seconds) * format.rate.hertz
  }
}

/// What is wrong with a chunk of input.
public enum InputFault: Error, Equatable, CustomStringConvertible {
  case empty
  case partialSampleFrame(bytes: Int, sampleFrame: Int)
  case tooLong(Duration)
  case notANumber(sample: Int)
  case impossiblePosition(Int64, expected: Int64)
  case tooFarAhead(Duration)
  /// A sample of the playback that is said to have been heard.
  case unsent(Int64, sent: Int64)
  /// By which playback is said to be faster than its clock.
  case impossibleRate(Double)

  /// In parts per million: nobody needs more against a drift.
  public static let largestRate = 1000.0

  /// The field of the chunk that it is about.
  public var field: String {
    switch self {
    case .impossiblePosition, .unsent: "first_sample"
    case .impossibleRate: "rate_ppm"
    default: "samples"
    }
  }

  public var description: String {
    switch self {
    case .empty: "an empty chunk"
    case .partialSampleFrame(let bytes, let sampleFrame):
      "\(bytes) bytes are not whole sample frames of \(sampleFrame) bytes"
    case .tooLong(let limit): "a chunk longer than \(limit)"
    case .notANumber(let sample): "sample frame \(sample) is not a finite number"
    case .impossiblePosition(let position, let expected):
      "\(position) is not within \(InputTimeline.longestGap) after \(expected), the next sample"
    case .unsent(let position, let sent):
      "\(position) is none of the \(sent) samples that were sent"
    case .impossibleRate(let rate):
      "\(rate) is not within -\(Self.largestRate) to \(Self.largestRate)"
    case .tooFarAhead(let limit): "more than \(limit) ahead of the microphone"
    }
  }
}
