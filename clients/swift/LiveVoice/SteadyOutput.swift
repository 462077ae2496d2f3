internal import Synchronization

/// The output of a live voice: as many samples as came in, at a constant delay, processed where the
/// server's output has arrived in time, and otherwise the microphone or silence.
///
/// Changes between processed sound and its replacement are cross-faded over 10 ms. The type reads no
/// clock: a processed sample is in time if it arrives before it is taken. One thread takes and one thread
/// adds processed sound. Samples are interleaved, and indexes and counts are in sample frames.
final class SteadyOutput: @unchecked Sendable {
  /// The microphone's samples that can wait to be taken, besides the delay, in seconds.
  static let longestWait = 2

  let channels: Int
  /// The delay from the microphone to the output.
  let delay: Int
  private let captured: CapturedSound
  private let processed: ProcessedSound
  private let isSilentWithoutServer: Bool
  private let fadeLength: Int
  private let mostWaiting: Int64
  /// The share of the processed sound, 0...1.
  private var share: Float = 0
  /// The part of the microphone that was captured while muted, and is not heard later. A mute that begins
  /// before the last one has been played continues it.
  private var muted: Range<Int64> = 0..<0
  /// The index of the output from which on the server has applied that mute.
  private var appliedFrom: Int64 = 0
  /// The end of the microphone when samples were last taken.
  private var lastEnd: Int64 = 0
  private let position = Atomic<Int64>(0)
  private let lost = Atomic<Int64>(0)
  private let isWhole = Atomic<Bool>(false)

  init(_ captured: CapturedSound, rate: Int, delay: Int, isSilentWithoutServer: Bool) {
    self.captured = captured
    self.delay = delay
    self.isSilentWithoutServer = isSilentWithoutServer
    channels = captured.microphoneChannels
    fadeLength = rate / 100
    mostWaiting = Int64(rate * Self.longestWait)
    processed = ProcessedSound(rate: rate, channels: channels)
  }

  /// The samples of the microphone that have to be kept.
  static func capacity(rate: Int, delay: Int) -> Int { delay + (longestWait + 1) * rate }

  /// The number of samples that were taken, those that were dropped included.
  var taken: Int64 { position.load(ordering: .acquiring) }
  /// The number of samples that were dropped, because they were not taken.
  var dropped: Int64 { lost.load(ordering: .relaxed) }
  /// The number of samples that can be taken.
  var available: Int { Int(min(captured.count - taken, mostWaiting)) }
  /// Whether the last sample that was taken was processed, and nothing else.
  var isProcessed: Bool { isWhole.load(ordering: .relaxed) }

  /// Adds processed samples. The index of the first one counts like the microphone's, and the sound contains
  /// the microphone `algorithmicDelay` samples before it.
  ///
  /// - Returns: The number of samples by which the end of this sound is late. 0 or less if it is in
  ///   time.
  func add(
    _ samples: UnsafeBufferPointer<Float>, at first: Int64, algorithmicDelay: Int
  ) -> Int64 {
    let played = first + Int64(delay - algorithmicDelay)
    let end = played + Int64(samples.count / channels)
    // Output for samples that have not been captured yet is dropped.
    if taken < end, end <= captured.count + Int64(delay) { processed.append(samples, at: played) }
    return taken - end
  }

  /// Takes samples into `output`, and returns their number: as many as there is room for and as have
  /// come in. Runs per block: no allocation, lock, log or await.
  ///
  /// - Parameter silentUntil: The index of the output up to which it is silent, because the voice is muted. From
  ///   there on, the server has applied the mute, and its output may contain injected speech. The microphone
  ///   that comes now is never heard. Nil if the voice is not muted.
  func read<Sample: LiveSample>(
    into output: UnsafeMutableBufferPointer<Sample>, silentUntil: Int64?
  ) -> Int {
    let end = captured.count
    var index = position.load(ordering: .relaxed)
    if end - index > mostWaiting {
      lost.add(end - index - mostWaiting, ordering: .relaxed)
      index = end - mostWaiting
    }
    let count = Int(min(Int64(output.count / channels), end - index))
    if let silentUntil { recordMute(from: silentUntil, at: index, end: end) }
    lastEnd = end
    for frame in 0..<count {
      let past = index - Int64(delay)
      let wasMuted = muted.contains(past)
      let isHeldBack = index < silentUntil ?? (wasMuted ? appliedFrom : .min)
      let (found, left) = nextProcessed(at: index)
      let (voice, ahead) = isHeldBack ? (nil, 0) : (found, left)
      // The processed sound fades out before it ends.
      share = min(min(1, Float(ahead) / Float(fadeLength)), share + 1 / Float(fadeLength))
      let isSilent = isSilentWithoutServer || silentUntil != nil || wasMuted
      let replacement = past >= 0 && !isSilent ? captured.microphone(at: past) : nil
      for channel in 0..<channels {
        let raw = replacement?[channel] ?? 0
        output[frame * channels + channel] = Sample(
          sample: share * (voice?[channel] ?? 0) + (1 - share) * raw)
      }
      index += 1
    }
    position.store(index, ordering: .releasing)
    isWhole.store(share == 1, ordering: .relaxed)
    return count
  }

  /// Records that the microphone which has come in since the last call was captured while muted.
  private func recordMute(from applied: Int64, at index: Int64, end: Int64) {
    let isPlayed = muted.upperBound <= index - Int64(delay)
    muted = (isPlayed ? min(lastEnd, end) : muted.lowerBound)..<end
    appliedFrom = applied
  }

  /// Returns the processed sample frame that is played at an index, or nil, and how many samples are there
  /// from it on, counted to the fade at most. Drops earlier sound.
  private func nextProcessed(at index: Int64) -> (UnsafePointer<Float>?, ahead: Int) {
    while let piece = processed.piece(), piece.end <= index { processed.drop() }
    guard let piece = processed.piece(), piece.first <= index else { return (nil, 0) }
    var (end, others) = (piece.end, 1)
    while end - index < fadeLength, let next = processed.piece(after: others), next.first == end {
      end = next.end
      others += 1
    }
    let offset = Int(index - piece.first) * channels
    return (UnsafePointer(piece.samples + offset), Int(end - index))
  }
}
