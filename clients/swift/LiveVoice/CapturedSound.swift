internal import Synchronization

/// The newest samples of the microphone and of the reference, those of one instant at the same index.
///
/// One thread appends. Other threads read, each at its own place. No thread waits, locks or allocates: a reader
/// that is too slow finds its samples overwritten. Samples are interleaved, and indexes and counts are in
/// sample frames.
final class CapturedSound: @unchecked Sendable {
  /// The samples that are kept.
  let capacity: Int
  let microphoneChannels: Int
  let referenceChannels: Int
  private let microphone: UnsafeMutablePointer<Float>
  private let reference: UnsafeMutablePointer<Float>
  /// The end of the samples, and the end that they will have after the present `append`.
  private let end = Atomic<Int64>(0)
  private let reserved = Atomic<Int64>(0)
  private let created = ContinuousClock.now
  /// The time of the last `append` in nanoseconds since the creation, or -1 before the first.
  private let appended = Atomic<Int64>(-1)

  /// `referenceChannels` is 0 if there is no reference.
  init(capacity: Int, microphoneChannels: Int, referenceChannels: Int) {
    self.capacity = capacity
    self.microphoneChannels = microphoneChannels
    self.referenceChannels = referenceChannels
    microphone = .allocate(capacity: capacity * microphoneChannels)
    microphone.initialize(repeating: 0, count: capacity * microphoneChannels)
    reference = .allocate(capacity: max(1, capacity * referenceChannels))
    reference.initialize(repeating: 0, count: max(1, capacity * referenceChannels))
  }

  deinit {
    microphone.deallocate()
    reference.deallocate()
  }

  /// The number of samples that were appended.
  var count: Int64 { end.load(ordering: .acquiring) }

  /// The time at which samples were appended last, or nil before the first.
  var appendedAt: ContinuousClock.Instant? {
    let time = appended.load(ordering: .relaxed)
    return time < 0 ? nil : created + .nanoseconds(time)
  }

  /// Appends samples. A reference that is nil is silent. Call this on one thread at a time. Runs per block:
  /// no allocation, lock, log or await.
  func append<Sample: LiveSample>(
    _ microphone: UnsafeBufferPointer<Sample>, _ reference: UnsafeBufferPointer<Sample>? = nil
  ) {
    let first = end.load(ordering: .relaxed)
    let added = microphone.count / microphoneChannels
    reserved.store(first + Int64(added), ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    for frame in max(0, added - capacity)..<added {
      let slot = Int((first + Int64(frame)) % Int64(capacity))
      for channel in 0..<microphoneChannels {
        self.microphone[slot * microphoneChannels + channel] =
          microphone[frame * microphoneChannels + channel].sample
      }
      for channel in 0..<referenceChannels {
        let place = frame * referenceChannels + channel
        self.reference[slot * referenceChannels + channel] =
          if let reference, place < reference.count { reference[place].sample } else { 0 }
      }
    }
    appended.store(Int64((.now - created) / .nanoseconds(1)), ordering: .relaxed)
    end.store(first + Int64(added), ordering: .releasing)
  }

  /// Returns the microphone's sample frame at an index that is kept.
  func microphone(at index: Int64) -> UnsafePointer<Float> {
    UnsafePointer(microphone + Int(index % Int64(capacity)) * microphoneChannels)
  }

  /// Returns samples from an index on, or nil if some of them were overwritten.
  func copy(from first: Int64, count: Int) -> (microphone: [Float], reference: [Float])? {
    func copy(_ samples: UnsafeMutablePointer<Float>, _ channels: Int) -> [Float] {
      let start = Int(first % Int64(capacity))
      let untilEnd = min(count, capacity - start)
      return Array(
        UnsafeBufferPointer(start: samples + start * channels, count: untilEnd * channels))
        + UnsafeBufferPointer(start: samples, count: (count - untilEnd) * channels)
    }
    let copies = (copy(microphone, microphoneChannels), copy(reference, referenceChannels))
    atomicMemoryFence(ordering: .acquiring)
    return first >= reserved.load(ordering: .relaxed) - Int64(capacity) ? copies : nil
  }
}
