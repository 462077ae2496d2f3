internal import AudioCore

/// The last second of a microphone and its reference, kept while the delay of the echo is not known. Once it is
/// known, the canceller learns from them, as if it had known the delay from the beginning.
///
/// To learn from a frame again costs as much as to cancel the echo of one. The work is divided among the
/// frames that follow, which belong to the past until it is learned. The samples are kept with 16 bits.
struct EchoPast: ~Copyable {
  /// The number of frames to learn from with each frame that comes.
  static let framesAtOnce = 25
  /// The number of frames that are learned from: 0.75 s. Twice as many made no difference.
  private static let mostFrames = 75
  /// The least number of frames that make a difference.
  private static let leastFrames = 10
  /// The frames of the microphone: those to learn from, and those that come meanwhile.
  private static let microphoneFrames = mostFrames + 5
  /// The frames of the reference. It is needed for longer, because its echo comes later.
  private static let referenceFrames = 112

  private let hop: Int
  private let channelCount: Int
  private let samples: UnsafeMutablePointer<Int16>
  private let learns: UnsafeMutablePointer<Bool>
  /// A frame of the microphone and one of the reference, to learn from.
  private let frames: FloatBuffer
  /// The frames of the microphone so far, and the samples of the reference.
  private var frameCount = 0
  private var referenceCount = 0
  /// The number of samples by which the reference has been moved to later.
  private var delay = 0
  private var skipsReference = false
  /// The frame to learn from next, if there is one.
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

  /// Whether there are frames left to learn from.
  var isBeingLearned: Bool { next != nil }

  /// Forgets everything.
  mutating func clear() {
    (frameCount, referenceCount, delay) = (0, 0, 0)
    skipsReference = false
    next = nil
  }

  /// Adds 10 ms of the reference, and begins a frame of the microphone, to which `keep` adds each channel.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func keep(reference: UnsafePointer<Float>, learns isLearned: Bool) {
    learns[frameCount % Self.microphoneFrames] = isLearned
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

  /// Adds a channel of the frame. Runs per frame: no allocation, lock, log or await.
  func keep(microphone: UnsafePointer<Float>, channel: Int) {
    Self.store(microphone, in: frame(frameCount - 1, channel), hop)
  }

  /// Begins to learn, because the reference will be later by a number of samples from the next frame on. The
  /// next frame fades from the old to the new place of the reference, and is taken from the past instead.
  ///
  /// - Returns: Whether there is enough to learn from.
  mutating func begin(delay: Int) -> Bool {
    guard next == nil, delay >= hop else { return false }
    let oldest = referenceCount - Self.referenceFrames * hop
    var first = max(0, frameCount - Self.mostFrames)
    if oldest > 0 { first = max(first, (oldest + delay + hop - 1) / hop) }
    guard frameCount - first >= Self.leastFrames else { return false }
    self.delay = delay
    referenceCount = (frameCount + 1) * hop - delay
    skipsReference = true
    next = first
    return true
  }

  /// Returns the frame to learn from next, its reference, and whether the canceller may learn from it. Runs per
  /// frame: no allocation, lock, log or await.
  mutating func takeNext() -> (frame: Int, reference: UnsafePointer<Float>, learns: Bool) {
    let frame = next ?? frameCount - 1
    next = frame + 1 < frameCount ? frame + 1 : nil
    let values = frames.start + hop
    for index in 0..<hop {
      let sample = frame * hop - delay + index
      values[index] = sample < 0 ? 0 : Self.value(reference[place(ofReference: sample)])
    }
    return (frame, UnsafePointer(values), learns[frame % Self.microphoneFrames])
  }

  /// Returns a channel of a frame, until the next call. Runs per frame: no allocation, lock, log or await.
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
