/// Samples in order, in at one end and out in frames at the other: what re-blocks chunks of any
/// length to frames of 10 ms.
///
/// Grows when more comes in than ever before; after that it allocates nothing.
public struct SampleQueue: ~Copyable {
  public let format: AudioFormat
  /// Samples of each channel that wait.
  public private(set) var count = 0
  private var head = 0
  private var capacity: Int
  private var storage: UnsafeMutablePointer<Float>  // channel after channel, `capacity` each
  private let last: UnsafeMutablePointer<Float>  // of each channel, the last sample that came
  private var concealed = 0  // samples made up since then

  public init(format: AudioFormat) {
    self.format = format
    capacity = format.rate.samplesPerFrame * 16
    storage = .allocate(capacity: capacity * format.channelCount)
    last = .allocate(capacity: format.channelCount)
    last.initialize(repeating: 0, count: format.channelCount)
  }

  deinit {
    storage.deallocate()
    last.deallocate()
  }

  /// Appends whole sample frames.
  ///
  /// - Returns: The index of the first sample frame with a value that is not a finite number, and
  ///   then nothing was appended; or nil.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let added = bytes.count / format.bytesPerSampleFrame
    reserve(added)
    for channel in 0..<format.channelCount {
      let tail = storage + channel * capacity + head + count
      let fault = SampleCoding.decode(bytes, format, channel: channel, into: tail, count: added)
      if let fault { return fault }
    }
    guard added > 0 else { return nil }
    count += added
    for channel in 0..<format.channelCount {
      last[channel] = storage[channel * capacity + head + count - 1]
    }
    concealed = 0
    return nil
  }

  /// Appends what stands for samples that are missing: a short fade from the last one, then silence.
  public mutating func appendConcealment(_ added: Int) {
    reserve(added)
    for channel in 0..<format.channelCount {
      conceal(storage + channel * capacity + head + count, added, channel)
    }
    concealed += added
    count += added
  }

  /// Moves the oldest samples into a frame, concealing what is missing where fewer wait.
  ///
  /// - Returns: How many samples were moved.
  @discardableResult
  public mutating func take(into frame: borrowing Frame) -> Int {
    precondition(frame.rate == format.rate && frame.channelCount == format.channelCount)
    let taken = min(count, frame.sampleCount)
    for channel in 0..<format.channelCount {
      let plane = frame.planePointers[channel]
      plane.update(from: storage + channel * capacity + head, count: taken)
      conceal(plane + taken, frame.sampleCount - taken, channel)
    }
    concealed += frame.sampleCount - taken
    drop(taken)
    return taken
  }

  /// Forgets the oldest samples.
  public mutating func drop(_ dropped: Int) {
    let dropped = min(dropped, count)
    head += dropped
    count -= dropped
    if count == 0 { head = 0 }
  }

  /// Forgets all but the oldest `kept` samples, which fade out.
  ///
  /// - Returns: How many are left.
  public mutating func fadeOut(after kept: Int) -> Int {
    count = min(count, kept)
    last.update(repeating: 0, count: format.channelCount)
    for channel in 0..<format.channelCount {
      let plane = storage + channel * capacity + head
      for index in 0..<count { plane[index] *= 1 - Float(index + 1) / Float(count) }
    }
    return count
  }

  private func conceal(_ target: UnsafeMutablePointer<Float>, _ count: Int, _ channel: Int) {
    let fade = format.rate.samplesPerFrame / 2  // 5 ms
    let faded = max(0, min(count, fade - concealed))
    for index in 0..<faded {
      target[index] = last[channel] * (1 - Float(concealed + index + 1) / Float(fade))
    }
    (target + faded).update(repeating: 0, count: count - faded)
  }

  private mutating func reserve(_ added: Int) {
    guard head + count + added > capacity else { return }
    if count + added <= capacity {
      for channel in 0..<format.channelCount {
        let plane = storage + channel * capacity
        plane.update(from: plane + head, count: count)
      }
    } else {
      let larger = max(capacity * 2, count + added)
      let moved = UnsafeMutablePointer<Float>.allocate(capacity: larger * format.channelCount)
      for channel in 0..<format.channelCount {
        let plane = storage + channel * capacity + head
        (moved + channel * larger).initialize(from: plane, count: count)
      }
      storage.deallocate()
      storage = moved
      capacity = larger
    }
    head = 0
  }
}
