/// A queue of samples that takes chunks of any length and returns frames of 10 ms.
///
/// Missing samples are concealed. The last sample before the gap fades out over 5 ms, silence
/// follows, and the sound after the gap fades in over 5 ms.
///
/// The queue allocates memory only when more samples wait than ever before.
public struct SampleQueue: ~Copyable {
  public let format: AudioFormat
  /// The number of samples of each channel that wait.
  public private(set) var count = 0
  private var head = 0
  private var capacity: Int
  /// The samples, channel after channel, with `capacity` samples each.
  private var storage: UnsafeMutablePointer<Float>
  private let fade: Int  // The length of a fade in samples, 5 ms.
  private let last: UnsafeMutablePointer<Float>  // The start value of each fade-out.
  /// The start values of the fade-out before a fade-in.
  private let tail: UnsafeMutablePointer<Float>
  private var concealed = 0  // The number of concealed samples since the last real one.
  private var fadedIn: Int  // The number of samples since a gap, up to the length of a fade.
  private var tailOffset = 0  // The position in the fade-out before a fade-in.

  /// Returns the length of a fade in samples.
  public static func fadeSamples(at rate: SampleRate) -> Int { rate.samplesPerFrame / 2 }

  public init(format: AudioFormat) {
    self.format = format
    capacity = format.rate.samplesPerFrame * 16
    storage = .allocate(capacity: capacity * format.channelCount)
    fade = Self.fadeSamples(at: format.rate)
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
  /// - Returns: Nil, or the index of the first sample frame with a value that is not a finite
  ///   number. Nothing was appended then.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let added = bytes.count / format.bytesPerSampleFrame
    reserve(added)
    for channel in 0..<format.channelCount {
      let tail = storage + channel * capacity + head + count
      let fault = SampleCoding.decode(bytes, format, channel: channel, into: tail, count: added)
      if let fault { return fault }
    }
    if added > 0 { extend(by: added) }
    return nil
  }

  /// Appends a range of the samples in `planes`, which has a plane for each channel of the format. Values
  /// beyond -1...1 are clipped, and NaN becomes silence.
  public mutating func append(
    _ planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ range: Range<Int>
  ) {
    guard !range.isEmpty else { return }
    reserve(range.count)
    for channel in 0..<format.channelCount {
      let plane = planes[channel]
      let tail = storage + channel * capacity + head + count
      for (place, index) in range.enumerated() {
        let sample = plane[index]
        tail[place] = sample.isNaN ? 0 : max(-1, min(1, sample))
      }
    }
    extend(by: range.count)
  }

  /// Counts the samples that were just written behind the waiting ones, and fades them in after a gap.
  private mutating func extend(by added: Int) {
    fadeIn(added)
    count += added
    for channel in 0..<format.channelCount {
      last[channel] = storage[channel * capacity + head + count - 1]
    }
    concealed = 0
  }

  /// Appends a replacement for `added` missing samples: a fade-out of the last sample, then
  /// silence.
  public mutating func appendConcealment(_ added: Int) {
    reserve(added)
    for channel in 0..<format.channelCount {
      conceal(storage + channel * capacity + head + count, added, channel)
    }
    concealed += added
    count += added
  }

  /// Moves the oldest samples into a frame. If fewer samples wait, conceals the rest.
  ///
  /// - Returns: The number of samples that were moved.
  @discardableResult
  public mutating func read(into frame: borrowing Frame) -> Int {
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

  /// Whether a read now would conceal missing samples by more than silence.
  public var isFading: Bool {
    guard count == 0, concealed < fade else { return false }
    return (0..<format.channelCount).contains { last[$0] != 0 }
  }

  /// Returns the waiting samples of a channel, the oldest first. The pointer is valid until the
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

  /// Keeps the oldest `start` samples, fades out the next 5 ms, and drops the rest. If fewer
  /// samples wait, the concealment continues the fade-out.
  ///
  /// - Returns: The number of samples that are left.
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

  /// Fades in the `added` samples that were just decoded behind the waiting ones, over the rest of
  /// the fade-in after a gap.
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
