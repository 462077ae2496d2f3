/// The output of a live voice: as many samples as came in, at a constant delay, processed where the
/// server's output has arrived in time, and otherwise the microphone or silence.
///
/// Changes between processed sound and its replacement are cross-faded over 10 ms. The type reads no
/// clock: a processed sample is in time if it arrives before it is taken. Samples are interleaved, and
/// indexes and counts are in sample frames (one sample for each channel).
struct SteadyOutput {
  /// The microphone's samples that can wait to be taken, besides the delay, in seconds.
  static let longestWait = 2

  let channels: Int
  /// The delay from the microphone to the output.
  let delay: Int
  /// The part of the delay that the processed output contains already.
  private var algorithmicDelay = 0
  private let fadeLength: Int
  private let capacity: Int
  private var raw: [Float]
  private var voice: [Float]
  /// The range of the indexes of the processed samples that are known.
  private var known: Range<Int64> = 0..<0
  /// The share of the processed sound, 0...1.
  private var share: Float = 0
  private var isSilentWithoutServer: Bool

  /// The number of samples that came in.
  private(set) var pushed: Int64 = 0
  /// The number of samples that were taken.
  private(set) var taken: Int64 = 0
  /// The number of samples that were dropped, because they were not taken.
  private(set) var dropped: Int64 = 0

  init(rate: Int, channels: Int, delay: Int, isSilentWithoutServer: Bool) {
    self.channels = channels
    self.delay = delay
    self.isSilentWithoutServer = isSilentWithoutServer
    fadeLength = rate / 100
    capacity = delay + rate * Self.longestWait + rate / 10
    raw = [Float](repeating: 0, count: capacity * channels)
    voice = raw
  }

  /// The number of samples that can be taken.
  var available: Int { Int(pushed - taken) }
  /// Whether the last sample that was taken was processed, and nothing else.
  var isProcessed: Bool { share == 1 }

  /// Adds samples of the microphone. If too many wait, the oldest are dropped.
  mutating func push(_ samples: UnsafeBufferPointer<Float>) {
    let count = samples.count / channels
    for frame in 0..<count {
      let slot = Int((pushed + Int64(frame)) % Int64(capacity)) * channels
      for channel in 0..<channels {
        raw[slot + channel] = samples[frame * channels + channel].orSilence
      }
    }
    pushed += Int64(count)
    let excess = Int64(available - (capacity - delay - fadeLength * 10))
    guard excess > 0 else { return }
    taken += excess
    dropped += excess
  }

  /// Starts a session whose output follows the microphone by this delay, and forgets the output of the
  /// session before it.
  mutating func start(algorithmicDelay: Int) {
    self.algorithmicDelay = algorithmicDelay
    known = 0..<0
  }

  /// Adds processed samples. The index of the first one counts like the microphone's.
  mutating func add(_ samples: UnsafeBufferPointer<Float>, at first: Int64) {
    let end = first + Int64(samples.count / channels)
    // Output of the future or the distant past has no place.
    guard end <= pushed + Int64(algorithmicDelay), end > due else { return }
    if first != known.upperBound || known.isEmpty { known = first..<first }
    for index in max(first, end - Int64(capacity))..<end {
      let slot = Int(index % Int64(capacity)) * channels
      let source = Int(index - first) * channels
      for channel in 0..<channels { voice[slot + channel] = samples[source + channel] }
    }
    known = max(known.lowerBound, end - Int64(capacity))..<end
  }

  /// Returns by how many samples the processed sound that ends at this index comes too late.
  func lateness(ofSampleAt end: Int64) -> Int64 { due - end }

  /// The index of the processed sample that is taken next.
  private var due: Int64 { taken - Int64(delay - algorithmicDelay) }

  /// Takes samples into `output`, and returns their number: as many as there is room for and as have
  /// come in.
  ///
  /// - Parameter isMuted: Whether silence replaces processed sound that is missing.
  mutating func take(into output: UnsafeMutableBufferPointer<Float>, isMuted: Bool) -> Int {
    let count = min(output.count / channels, available)
    let isSilent = isSilentWithoutServer || isMuted
    for frame in 0..<count {
      let index = due
      // The processed sound fades out before it ends.
      let ahead = known.contains(index) ? Float(known.upperBound - index) : 0
      let most = min(1, ahead / Float(fadeLength))
      share = min(most, share + 1 / Float(fadeLength))
      let past = taken - Int64(delay)
      let rawSlot = past >= 0 && !isSilent ? Int(past % Int64(capacity)) * channels : -1
      let voiceSlot = Int(max(0, index) % Int64(capacity)) * channels
      for channel in 0..<channels {
        let replacement = rawSlot >= 0 ? raw[rawSlot + channel] : 0
        let processed = ahead > 0 ? voice[voiceSlot + channel] : 0
        output[frame * channels + channel] = share * processed + (1 - share) * replacement
      }
      taken += 1
    }
    return count
  }
}
