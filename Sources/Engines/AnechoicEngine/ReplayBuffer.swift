internal import AudioCore

/// A buffer of the last second of a microphone and its reference, kept while the delay of the echo
/// is not known. Once the delay is known, the canceller adapts to the buffered frames, as if it had
/// known the delay from the start.
///
/// The replay of a frame costs as much as the cancellation of one. The work is divided among the
/// frames that follow, which join the buffer until the replay is finished. The samples are stored
/// with 16 bits.
struct ReplayBuffer: ~Copyable {
  /// The number of frames that are replayed with each new frame.
  static let framesPerStep = 25
  /// The maximum number of frames in a replay: 0.75 s. Twice as many made no difference.
  private static let maximumFrames = 75
  /// The minimum number of frames in a replay: fewer make no difference.
  private static let minimumFrames = 10
  /// The number of frames of the microphone: those of a replay, and those that arrive meanwhile.
  private static let microphoneFrames = maximumFrames + 5
  /// The number of frames of the reference. More are needed, because the echo arrives later.
  private static let referenceFrames = 112

  private let hop: Int
  private let channelCount: Int
  private let samples: UnsafeMutablePointer<Int16>
  private let learns: UnsafeMutablePointer<Bool>
  /// The frame of the microphone and that of the reference that are replayed.
  private let frames: FloatBuffer
  /// The number of frames of the microphone so far, and of samples of the reference.
  private var frameCount = 0
  private var referenceCount = 0
  /// The number of samples by which the reference has been moved to later.
  private var delay = 0
  private var skipsReference = false
  /// The next frame of the replay, if there is one.
  private var next: Int?

  init(hop: Int, channelCount: Int) {
    self.hop = hop
    self.channelCount = channelCount
    let frames = channelCount * Self.microphoneFrames + Self.referenceFrames
    samples = .allocate(capacity: frames * hop)
    samples.initialize(repeating: 0, count: frames * hop)
    learns = .allocate(capacity: Self.microphoneFrames)
    learns.initialize(repeating: false, count: Self.microphoneFrames)
    self.frames = FloatBuffer(2 * hop)
  }

  deinit {
    samples.deallocate()
    learns.deallocate()
  }

  /// Whether a replay is running.
  var isReplaying: Bool { next != nil }

  /// Clears the buffer, and ends the replay.
  mutating func clear() {
    (frameCount, referenceCount, delay) = (0, 0, 0)
    skipsReference = false
    next = nil
  }

  /// Appends 10 ms of the reference, and starts a frame of the microphone, to which
  /// `append(microphone:channel:)` adds each channel. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func append(reference: UnsafePointer<Float>, learns isUsable: Bool) {
    learns[frameCount % Self.microphoneFrames] = isUsable
    frameCount += 1
    guard !skipsReference else { return skipsReference = false }
    var (rest, source) = (hop, reference)
    while rest > 0 {
      let place = place(ofReference: referenceCount)
      let count = min(rest, Self.referenceFrames * hop - place)
      Self.store(source, in: self.reference + place, count)
      (rest, source) = (rest - count, source + count)
      referenceCount += count
    }
  }

  /// Appends a channel of the frame. Runs per frame: no allocation, lock, log or await.
  func append(microphone: UnsafePointer<Float>, channel: Int) {
    Self.store(microphone, in: frame(frameCount - 1, channel), hop)
  }

  /// Starts the replay, because the reference is later by `delay` samples from the next frame on.
  /// The reference of the next frame fades from its old place to its new one, so the buffered
  /// reference is used instead.
  ///
  /// - Returns: Whether the buffer has enough frames.
  mutating func start(delay: Int) -> Bool {
    guard next == nil, delay >= hop else { return false }
    let oldest = referenceCount - Self.referenceFrames * hop
    var first = max(0, frameCount - Self.maximumFrames)
    if oldest > 0 { first = max(first, (oldest + delay + hop - 1) / hop) }
    guard frameCount - first >= Self.minimumFrames else { return false }
    self.delay = delay
    referenceCount = (frameCount + 1) * hop - delay
    skipsReference = true
    next = first
    return true
  }

  /// Returns the next frame of the replay, its reference, and whether the canceller may adapt to
  /// it. Runs per frame: no allocation, lock, log or await.
  mutating func popNext() -> (frame: Int, reference: UnsafePointer<Float>, learns: Bool) {
    let frame = next ?? frameCount - 1
    next = frame + 1 < frameCount ? frame + 1 : nil
    let values = frames.start + hop
    for index in 0..<hop {
      let sample = frame * hop - delay + index
      values[index] = sample < 0 ? 0 : Self.value(reference[place(ofReference: sample)])
    }
    return (frame, UnsafePointer(values), learns[frame % Self.microphoneFrames])
  }

  /// Returns a channel of a frame, which is valid until the next call. Runs per frame: no
  /// allocation, lock, log or await.
  func microphone(of frame: Int, channel: Int) -> UnsafePointer<Float> {
    let source = self.frame(frame, channel)
    for index in 0..<hop { frames.start[index] = Self.value(source[index]) }
    return UnsafePointer(frames.start)
  }

  private var reference: UnsafeMutablePointer<Int16> {
    samples + channelCount * Self.microphoneFrames * hop
  }

  private func place(ofReference sample: Int) -> Int { sample % (Self.referenceFrames * hop) }

  private func frame(_ frame: Int, _ channel: Int) -> UnsafeMutablePointer<Int16> {
    samples + (channel * Self.microphoneFrames + frame % Self.microphoneFrames) * hop
  }

  private static func store(
    _ values: UnsafePointer<Float>, in target: UnsafeMutablePointer<Int16>, _ count: Int
  ) {
    for index in 0..<count { target[index] = Int16(max(-1, min(1, values[index])) * 32767) }
  }

  private static func value(_ sample: Int16) -> Float { Float(sample) / 32767 }
}
