internal import Synchronization

/// A queue of frames from one thread to another, with a note beside each frame. Neither side waits,
/// locks or allocates.
public final class FrameRing<Note: BitwiseCopyable & Sendable>: @unchecked Sendable {
  public let rate: SampleRate
  public let channelCount: Int
  public let capacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let notes: UnsafeMutablePointer<Note>
  private let samplesPerSlot: Int
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)

  /// Creates an empty ring of `capacity` frames. `note` fills the unused places.
  public init(rate: SampleRate, channelCount: Int, capacity: Int, note: Note) {
    self.rate = rate
    self.channelCount = channelCount
    self.capacity = capacity
    samplesPerSlot = rate.samplesPerFrame * channelCount
    samples = .allocate(capacity: samplesPerSlot * capacity)
    samples.initialize(repeating: 0, count: samplesPerSlot * capacity)
    notes = .allocate(capacity: capacity)
    notes.initialize(repeating: note, count: capacity)
  }

  deinit {
    samples.deallocate()
    notes.deallocate()
  }

  /// The number of frames that wait. It is a lower bound for the reader and an upper bound for the
  /// writer.
  public var count: Int {
    written.load(ordering: .acquiring) - read.load(ordering: .acquiring)
  }

  /// Writes a frame. Call this on the writing thread.
  ///
  /// - Returns: Whether there was room. Runs per frame: no allocation, lock, log or await.
  public func write(_ frame: borrowing Frame, _ note: Note) -> Bool {
    precondition(frame.rate == rate && frame.channelCount == channelCount)
    let index = written.load(ordering: .relaxed)
    guard index - read.load(ordering: .acquiring) < capacity else { return false }
    let slot = index % capacity
    for channel in 0..<channelCount {
      (samples + slot * samplesPerSlot + channel * rate.samplesPerFrame)
        .update(from: frame.planePointers[channel], count: rate.samplesPerFrame)
    }
    notes[slot] = note
    written.store(index + 1, ordering: .releasing)
    return true
  }

  /// Reads a frame. Call this on the reading thread.
  ///
  /// - Returns: The note of the frame. Nil if no frame waits; `frame` is then unchanged.
  ///   Runs per frame: no allocation, lock, log or await.
  public func read(into frame: borrowing Frame) -> Note? {
    precondition(frame.rate == rate && frame.channelCount == channelCount)
    let index = read.load(ordering: .relaxed)
    guard index < written.load(ordering: .acquiring) else { return nil }
    let slot = index % capacity
    for channel in 0..<channelCount {
      frame.planePointers[channel].update(
        from: samples + slot * samplesPerSlot + channel * rate.samplesPerFrame,
        count: rate.samplesPerFrame)
    }
    let note = notes[slot]
    read.store(index + 1, ordering: .releasing)
    return note
  }

  /// Drops the oldest frames, so that at most `count` wait. Call this on the reading thread.
  ///
  /// - Returns: The number of dropped frames.
  @discardableResult
  public func drop(downTo count: Int) -> Int {
    let index = read.load(ordering: .relaxed)
    let surplus = max(0, written.load(ordering: .acquiring) - index - count)
    if surplus > 0 { read.store(index + surplus, ordering: .releasing) }
    return surplus
  }
}
