internal import AudioCodecs
public import AudioCore

/// One input of a session on its media clock: takes in samples by their index and gives out frames
/// in order.
public struct InputTimeline: ~Copyable {
  /// The treatment of samples that arrive after their time.
  public enum Lateness: Sendable {
    /// Late samples are dropped, as they belong to samples of the microphone that were processed.
    case dropped
    /// Late samples are taken next, as a listener wants to hear them.
    case takenNext
  }

  /// Longer gaps are refused.
  public static let longestGap = Duration.seconds(10)
  /// Longer chunks are refused.
  public static let longestChunk = Duration.seconds(1)
  /// More samples than this must not wait.
  public static let longestLead = Duration.seconds(5)

  private let lateness: Lateness
  private let longestLead: Duration?
  private let history: Int
  /// Whether nothing takes samples, so that no more are kept than waited before, and the newest chunk.
  private(set) var isResting = false
  /// The samples that waited when some were taken last.
  private var lead = 0
  /// The samples that were left out of the timeline since nothing takes samples.
  private var leftOut: Int64 = 0
  /// Those of them that belong to a gap of the microphone, and wait for room.
  private var owed: Int64 = 0
  /// The place in the timeline of the client's index 0. It is negative after samples were left out of the
  /// timeline, and positive after a pause that the client left out of its count.
  private var shift: Int64 = 0
  private var kept = 0  // samples that were taken and are still there
  private var queue: SampleQueue
  /// Nil for plain samples.
  private var packets: PacketInput?
  /// The index of the next sample to be taken.
  public private(set) var taken: Int64 = 0
  /// The index after the last sample that arrived.
  public private(set) var arrived: Int64 = 0

  /// Creates a timeline without samples.
  ///
  /// - Parameters:
  ///   - longestLead: The most that may wait, or nil for any amount.
  ///   - history: The number of samples before the next one that `next` still gives.
  public init(
    format: AudioFormat, lateness: Lateness = .dropped,
    longestLead: Duration? = InputTimeline.longestLead, history: Int = 0
  ) {
    self.history = history
    self.lateness = lateness
    self.longestLead = longestLead
    queue = SampleQueue(format: format)
    packets = format.opus == nil ? nil : PacketInput(format)
  }

  public var format: AudioFormat { queue.format }

  /// The number of samples of each channel that wait.
  public var waiting: Int { queue.count - kept }

  public var hasFrame: Bool { waiting >= format.rate.samplesPerFrame }

  /// Appends a chunk: samples, or one Opus packet. Samples that arrived before are dropped, and a gap
  /// before the chunk is concealed.
  ///
  /// - Returns: How many samples were missing.
  public mutating func append(
    _ bytes: UnsafeRawBufferPointer, firstSample: Int64?
  ) throws(InputError) -> Int64 {
    try append(.encoded(bytes), firstSample: firstSample)
  }

  /// Appends samples. The samples that arrived before are dropped, and a gap before these is concealed.
  ///
  /// - Returns: How many samples were missing.
  mutating func append(
    _ samples: InputSamples, firstSample: Int64?
  ) throws(InputError) -> Int64 {
    let count = try check(samples, firstSample)
    if isResting { leaveOutWaiting(for: count) } else { putBack() }
    let first = firstSample.map { index(of: $0) } ?? arrived
    // Silence that was given for want of samples fills a gap as well.
    if lateness == .takenNext { taken = min(taken, max(arrived, first)) }
    let missing = max(0, first - arrived)
    let next = max(arrived, taken)  // the first sample that is not too late
    let late = Int(min(Int64(count), max(0, next - first)))
    if let longestLead, waiting + count > sampleCount(in: longestLead) {
      throw .tooFarAhead(longestLead)
    }
    if first > next { conceal(Int(first - next), before: samples) }
    if late < count { try append(samples, droppingFirst: late) }
    arrived = max(arrived, first + Int64(count))
    return missing
  }

  /// Moves the next 10 ms into a frame. Missing samples are concealed, and treated as late when
  /// they arrive. Not for a timeline with a history.
  ///
  /// - Returns: How many samples were there.
  @discardableResult
  public mutating func read(into frame: borrowing Frame) -> Int {
    taken += Int64(frame.sampleCount)
    let count = queue.read(into: frame)
    (isResting, lead) = (false, waiting)
    return count
  }

  /// Removes all waiting samples and returns the mean of their channels. Allocates, so it is not for
  /// the frame path. Not for a timeline with a history.
  public mutating func popAll() -> [Float] {
    let count = waiting
    var mean = Array(UnsafeBufferPointer(start: next(0), count: count))
    if format.channelCount == 2 {
      let other = next(1)
      for index in mean.indices { mean[index] = (mean[index] + other[index]) / 2 }
    }
    queue.drop(count)
    taken += Int64(count)
    return mean
  }

  /// The next sample of a channel to be taken, with all that wait after it and the history before
  /// it. The pointer is valid until the timeline changes.
  func next(_ channel: Int) -> UnsafePointer<Float> { queue.samples(channel) + kept }

  /// Whether the history contains at least `samples` samples.
  func canMoveBack(by samples: Int) -> Bool { kept >= samples }

  /// Copies the next 10 ms into a frame, and conceals its end where fewer samples wait.
  mutating func copyFrame(into frame: borrowing Frame) {
    let missing = frame.sampleCount - waiting
    if missing > 0 { queue.appendConcealment(missing) }
    for channel in 0..<frame.channelCount {
      frame.planePointers[channel].update(from: next(channel), count: frame.sampleCount)
    }
  }

  /// Moves the next sample by a number of samples, back into the history where the number is
  /// negative.
  mutating func move(by samples: Int) {
    taken += Int64(samples)
    kept += samples
    (isResting, lead) = (false, waiting)
    guard kept > history else { return }
    queue.drop(kept - history)
    kept = history
  }

  /// Drops all samples that wait behind the next ones, with a fade of 5 ms.
  public mutating func clear(after samples: Int = 0) {
    guard waiting > samples else { return }
    taken = arrived - Int64(queue.fadeOut(from: kept + samples) - kept)
  }

  /// Keeps no more than waited before, and the newest chunk, until samples are taken again. Those between
  /// count as if they had never come, so that the input is in step again then.
  mutating func rest() { (isResting, leftOut) = (true, 0) }

  /// Records that the microphone went on after a gap, in samples of this input. The samples that were left
  /// out meanwhile belong to the gap, and count after all. `isOver` tells whether the microphone's samples
  /// arrive again.
  mutating func microphoneWentOn(afterGap gap: Int64, isOver: Bool) {
    let added = min(leftOut, gap)
    owed += added
    leftOut = isOver ? 0 : leftOut - added
    putBack()
  }

  /// Makes up for samples that were left out, as far as there is room for silence and a chunk.
  private mutating func putBack() {
    guard owed > 0 else { return }
    let longest = longestLead.map {
      sampleCount(in: $0) - sampleCount(in: Self.longestChunk) - waiting
    }
    let back = min(owed, Int64(max(0, longest ?? .max)))
    let rest = owed - back
    if back > 0 { _ = place(expectedIndex, at: arrived + back) }
    owed = rest
  }

  /// Leaves out the samples that wait longest, which belong to none of the microphone's.
  ///
  /// - Returns: How many samples were left out: at most those that waited.
  mutating func leaveOutFirst(_ count: Int64) -> Int64 {
    let left = min(count, Int64(waiting))
    queue.drop(Int(left))
    arrived -= left
    shift -= left
    return left
  }

  /// Returns the place in the timeline of an index of the client.
  func index(of firstSample: Int64) -> Int64 { firstSample + shift }

  /// The client's index of the sample after the last one that arrived.
  var expectedIndex: Int64 { arrived - shift }

  /// Whether an index of the client belongs before a place in the timeline. False for impossible indexes.
  func isIndex(_ firstSample: Int64, before place: Int64) -> Bool {
    firstSample >= 0 && firstSample < place - shift
  }

  /// Places the client's index at a place behind all samples that arrived, and conceals those before it.
  ///
  /// - Returns: How many samples were missing.
  mutating func place(_ firstSample: Int64, at place: Int64) -> Int64 {
    shift = place - firstSample
    (isResting, owed) = (false, 0)
    let next = max(arrived, taken)
    if place > next { queue.appendConcealment(Int(place - next)) }
    defer { arrived = max(arrived, place) }
    return max(0, place - arrived)
  }

  /// Makes room for a chunk.
  private mutating func leaveOutWaiting(for count: Int) {
    let room = longestLead.map {
      sampleCount(in: $0) - count - SampleQueue.fadeSamples(at: format.rate)
    }
    let most = max(0, min(lead, room ?? lead))
    guard waiting > most else { return }
    let before = waiting
    let left = Int64(before - (queue.fadeOut(from: kept + most) - kept))
    arrived -= left
    shift -= left
    leftOut += left
  }

  private mutating func conceal(_ count: Int, before samples: InputSamples) {
    if packets != nil, case .encoded(let packet) = samples {
      packets?.conceal(count, before: packet, into: &queue)
    } else {
      queue.appendConcealment(count)
    }
  }

  private mutating func append(
    _ samples: InputSamples, droppingFirst late: Int
  ) throws(InputError) {
    switch samples {
    case .encoded(let packet) where packets != nil:
      try packets?.append(packet, droppingFirst: late, into: &queue)
    case .encoded(let bytes):
      let useful = UnsafeRawBufferPointer(rebasing: bytes[(late * format.bytesPerSampleFrame)...])
      if let fault = queue.append(useful) { throw .notANumber(sample: late + fault) }
    case .planes(let planes, let channelCount, let count):
      precondition(packets == nil && channelCount == format.channelCount)
      queue.append(planes, late..<count)
    }
  }

  /// Returns the number of samples of each channel in a chunk.
  func sampleCount(_ samples: InputSamples) throws(InputError) -> Int {
    let bytes: UnsafeRawBufferPointer
    switch samples {
    case .encoded(let encoded): bytes = encoded
    case .planes(_, _, let count): return count
    }
    if let count = try packets?.sampleCount(of: bytes) { return count }
    guard bytes.count % format.bytesPerSampleFrame == 0 else {
      throw .partialSampleFrame(bytes: bytes.count, sampleFrame: format.bytesPerSampleFrame)
    }
    return bytes.count / format.bytesPerSampleFrame
  }

  /// Throws for a chunk that is not valid here. Returns the number of its samples.
  private func check(
    _ samples: InputSamples, _ firstSample: Int64?
  ) throws(InputError) -> Int {
    guard !samples.isEmpty || firstSample != nil else { throw .empty }
    let count = try sampleCount(samples)
    guard count <= sampleCount(in: Self.longestChunk) else { throw .tooLong(Self.longestChunk) }
    if let firstSample {
      let latest = expectedIndex + Int64(sampleCount(in: Self.longestGap))
      guard firstSample >= 0, firstSample <= latest else {
        throw .impossiblePosition(firstSample, expected: expectedIndex)
      }
    }
    return count
  }

  private func sampleCount(in duration: Duration) -> Int {
    Int(duration.components.seconds) * format.rate.hertz
  }
}

/// A fault of a chunk of input.
public enum InputError: Error, Equatable, CustomStringConvertible {
  case empty
  case partialSampleFrame(bytes: Int, sampleFrame: Int)
  case tooLong(Duration)
  /// An Opus packet that is malformed.
  case notAPacket
  /// An Opus packet that is larger than any can be.
  case tooLarge(bytes: Int, limit: Int)
  case notANumber(sample: Int)
  case impossiblePosition(Int64, expected: Int64)
  case tooFarAhead(Duration)
  /// A playback report of a sample that was not sent.
  case unsent(Int64, sent: Int64)
  /// A playback report with a rate, in parts per million, that is out of range.
  case impossibleRate(Double)

  /// The largest rate of a playback report, in parts per million.
  public static let largestRate = 1000.0

  /// The field of the chunk that is at fault.
  public var field: String {
    switch self {
    case .impossiblePosition, .unsent: "first_sample"
    case .impossibleRate: "rate_ppm"
    default: "samples"
    }
  }

  public var description: String {
    switch self {
    case .empty: "the chunk is empty; send samples or first_sample"
    case .partialSampleFrame(let bytes, let sampleFrame):
      "\(bytes) bytes are not whole sample frames of \(sampleFrame) bytes"
    case .tooLong(let limit): "the chunk is longer than \(limit.components.seconds) s"
    case .notAPacket: "the chunk is not a valid Opus packet (RFC 6716) of at most 120 ms"
    case .tooLarge(let bytes, let limit):
      "an Opus packet has at most \(limit) bytes, and the chunk has \(bytes)"
    case .notANumber(let sample): "sample frame \(sample) is not a finite number"
    case .impossiblePosition(let position, let expected):
      "\(position) is not within \(InputTimeline.longestGap.components.seconds) s after \(expected), "
        + "the next sample"
    case .unsent(let position, let sent):
      "sample \(position) is not one of the \(sent) samples that were sent"
    case .impossibleRate(let rate):
      "\(rate) is not within -\(Self.largestRate) to \(Self.largestRate)"
    case .tooFarAhead(let limit):
      "the audio is more than \(limit.components.seconds) s ahead of the microphone"
    }
  }
}

/// Samples of an input, valid for one call.
enum InputSamples {
  /// Whole sample frames in the format of the input, or one Opus packet.
  case encoded(UnsafeRawBufferPointer)
  /// Samples of each channel, for an input of plain samples.
  case planes(UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int, count: Int)

  /// The samples of a frame.
  init(_ frame: borrowing Frame) {
    self = .planes(
      frame.planePointers, channelCount: frame.channelCount, count: frame.sampleCount)
  }

  var isEmpty: Bool {
    switch self {
    case .encoded(let bytes): bytes.isEmpty
    case .planes(_, _, let count): count == 0
    }
  }
}
