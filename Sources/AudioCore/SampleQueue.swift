/// A queue of samples: takes in chunks of any length and gives out frames of 10 ms.
///
/// Missing samples are concealed: the last sample before them fades out over 5 ms, silence follows, and
/// the sound after them fades in over 5 ms.
///
/// The queue grows when more samples wait than ever before, and allocates nothing otherwise.
public struct SampleQueue: ~Copyable {
  public let format: AudioFormat
  /// The number of samples of each channel that wait.
  public private(set) var count = 0
  private var head = 0
  private var capacity: Int
  private var storage: UnsafeMutablePointer<Float>  // channel after channel, `capacity` each
  private let fade: Int  // the length of a fade: 5 ms
  private let last: UnsafeMutablePointer<Float>  // the start of the fade of each channel
  private let tail: UnsafeMutablePointer<Float>  // the same for the fade before sound that fades in
  private var concealed = 0  // samples made up since the last one
  private var fadedIn: Int  // samples of sound since a gap, up to a whole fade
  private var tailOffset = 0  // samples of the fade before sound that fades in

  public init(format: AudioFormat) {
    self.format = format
    capacity = format.rate.samplesPerFrame * 16
    storage = .allocate(capacity: capacity * format.channelCount)
    fade = format.rate.samplesPerFrame / 2
    fadedIn = fade
    last = .allocate(capacity: 2 * format.channelCount)
    last.initialize(repeating: 0, count: 2 * format.channelCount)
    tail = last + format.channelCount
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
    fadeIn(added)
    count += added
    for channel in 0..<format.channelCount {
      last[channel] = storage[channel * capacity + head + count - 1]
    }
    concealed = 0
    return nil
  }

  /// Appends a replacement for missing samples: a fade from the last sample, then silence.
  public mutating func appendConcealment(_ added: Int) {
    reserve(added)
    for channel in 0..<format.channelCount {
      conceal(storage + channel * capacity + head + count, added, channel)
    }
    concealed += added
    count += added
  }

  /// Moves the oldest samples into a frame, and conceals the rest where fewer wait.
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

  /// The oldest sample of a channel that waits, with all that follow. The pointer is valid until the
  /// queue changes.
  public func samples(_ channel: Int) -> UnsafePointer<Float> {
    UnsafePointer(storage + channel * capacity + head)
  }

  /// Drops the oldest samples.
  public mutating func drop(_ dropped: Int) {
    let dropped = min(dropped, count)
    head += dropped
    count -= dropped
    if count == 0 { head = 0 }
  }

  /// Drops all samples but the oldest `start` and a fade of 5 ms after them. Where fewer samples wait,
  /// the concealment goes on with the fade.
  ///
  /// - Returns: How many samples are left.
  public mutating func fadeOut(from start: Int = 0) -> Int {
    let kept = max(0, min(count - start, fade))
    guard kept > 0 else { return count }
    count = start + kept
    concealed = kept
    fadedIn = fade
    for channel in 0..<format.channelCount {
      let plane = storage + channel * capacity + head + start
      last[channel] = plane[kept - 1]
      for index in 0..<kept { plane[index] *= 1 - Float(index + 1) / Float(fade) }
    }
    return count
  }

  /// Fades in the samples that were just decoded behind those that wait, over what is left of the fade
  /// that a gap began.
  private mutating func fadeIn(_ added: Int) {
    if concealed > 0 {
      fadedIn = 0
      tailOffset = concealed
      tail.update(from: last, count: format.channelCount)
    }
    let length = min(added, fade - fadedIn)
    guard length > 0 else { return }
    for channel in 0..<format.channelCount {
      let plane = storage + channel * capacity + head + count
      for index in 0..<length {
        let place = fadedIn + index + 1
        let old = max(0, 1 - Float(tailOffset + place) / Float(fade))
        plane[index] = plane[index] * (Float(place) / Float(fade)) + tail[channel] * old
      }
    }
    fadedIn += length
  }

  private func conceal(_ target: UnsafeMutablePointer<Float>, _ count: Int, _ channel: Int) {
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
