internal import Synchronization

/// Processed sound on its way from the network to the thread that plays it, in pieces of at most 10 ms.
///
/// Each piece has the index, among the samples that are played, of its first sample. One thread appends and
/// one thread takes. Neither waits, locks or allocates. Samples are interleaved, and counts are in sample
/// frames.
final class ProcessedSound: @unchecked Sendable {
  struct Piece {
    var first: Int64
    var count: Int
    var samples: UnsafeMutablePointer<Float>

    var end: Int64 { first + Int64(count) }
  }

  /// 4 s in pieces of 10 ms.
  private static let capacity = 400

  private let channels: Int
  private let longest: Int
  private let samples: UnsafeMutablePointer<Float>
  private let pieces: UnsafeMutablePointer<Piece>
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)

  init(rate: Int, channels: Int) {
    self.channels = channels
    longest = rate / 100
    let size = longest * channels
    samples = .allocate(capacity: Self.capacity * size)
    samples.initialize(repeating: 0, count: Self.capacity * size)
    pieces = .allocate(capacity: Self.capacity)
    for slot in 0..<Self.capacity {
      (pieces + slot).initialize(to: Piece(first: 0, count: 0, samples: samples + slot * size))
    }
  }

  deinit {
    samples.deallocate()
    pieces.deallocate()
  }

  /// Appends samples. Those for which there is no room are dropped.
  func append(_ samples: UnsafeBufferPointer<Float>, at first: Int64) {
    guard let source = samples.baseAddress else { return }
    let count = samples.count / channels
    for start in stride(from: 0, to: count, by: longest) {
      let index = written.load(ordering: .relaxed)
      guard index - read.load(ordering: .acquiring) < Self.capacity else { return }
      let slot = index % Self.capacity
      pieces[slot].first = first + Int64(start)
      pieces[slot].count = min(longest, count - start)
      pieces[slot].samples.update(
        from: source + start * channels, count: pieces[slot].count * channels)
      written.store(index + 1, ordering: .releasing)
    }
  }

  /// Returns the piece behind `others` earlier ones, or nil. Call this on the thread that takes.
  func piece(after others: Int = 0) -> Piece? {
    let index = read.load(ordering: .relaxed) + others
    guard index < written.load(ordering: .acquiring) else { return nil }
    return pieces[index % Self.capacity]
  }

  /// Drops the first piece. Call this on the thread that takes.
  func drop() { read.add(1, ordering: .releasing) }
}
