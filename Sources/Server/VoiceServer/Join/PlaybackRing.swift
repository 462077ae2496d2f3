internal import AudioCore
internal import SessionWire
internal import Synchronization
internal import VoiceSessions

/// The playback on its way from a session's thread to the call that plays it: serialized
/// `JoinSessionResponse`s. One thread writes and one reads. Neither waits, locks or allocates.
final class PlaybackRing: @unchecked Sendable {
  /// The reason why no more playback follows.
  enum End: UInt8 {
    case sessionEnded = 1
    case takenOver
  }

  /// The time between two looks of the reader. The session does not wake it, so that it need not lock
  /// anything.
  static let interval = Duration.milliseconds(10)
  /// The duration that the ring holds, in frames, and the fewest chunks.
  private static let frames = 50
  private static let fewestChunks = 4

  private let slotSize: Int
  private let capacity: Int
  private let bytes: UnsafeMutableRawBufferPointer
  /// The sizes of the messages in the slots.
  private let sizes: UnsafeMutableBufferPointer<Int>
  private let written = Atomic(0)
  private let read = Atomic(0)
  private let ending = Atomic<UInt8>(0)
  private let isAbandoned = Atomic(false)

  init(playback format: AudioFormat, framesPerChunk: Int) {
    slotSize = PlaybackResponse.overhead + format.largestChunk(frames: framesPerChunk)
    capacity = max(Self.fewestChunks, Self.frames / framesPerChunk)
    bytes = .allocate(byteCount: slotSize * capacity, alignment: 16)
    sizes = .allocate(capacity: capacity)
    sizes.initialize(repeating: 0)
  }

  deinit {
    bytes.deallocate()
    sizes.deallocate()
  }

  /// The reason why nothing is written any more, or nil. Messages that were written before can still be read.
  var end: End? { End(rawValue: ending.load(ordering: .acquiring)) }

  /// Records that nothing more will be written. Only the first reason counts.
  func end(_ reason: End) {
    _ = ending.compareExchange(
      expected: 0, desired: reason.rawValue, ordering: .acquiringAndReleasing)
  }

  /// Whether the reader has more to read than it leaves room. Half of the room is enough for the frames of
  /// a turn. Runs per frame: no allocation, lock, log or await.
  var isHalfFull: Bool {
    written.load(ordering: .relaxed) - read.load(ordering: .acquiring) >= capacity / 2
      && !isAbandoned.load(ordering: .relaxed)
  }

  /// Records that nothing more will be read.
  func abandon() { isAbandoned.store(true, ordering: .relaxed) }

  /// Writes samples, or drops them if the reader leaves no room. Call this on the session's thread.
  /// Runs per chunk: no allocation, lock, log or await.
  func write(_ samples: OutputChunk.Samples) {
    let response = PlaybackResponse(samples)
    let index = written.load(ordering: .relaxed)
    guard index - read.load(ordering: .acquiring) < capacity, response.size <= slotSize else {
      return
    }
    sizes[index % capacity] = response.size
    response.write(to: slot(index))
    written.store(index + 1, ordering: .releasing)
  }

  /// Passes the oldest message to `body`. Returns false if there is none. Call this on the reader's
  /// thread. Runs per chunk: no allocation, lock, log or await.
  func readNext(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
    let index = read.load(ordering: .relaxed)
    guard index < written.load(ordering: .acquiring) else { return false }
    body(UnsafeRawBufferPointer(slot(index)))
    read.store(index + 1, ordering: .releasing)
    return true
  }

  private func slot(_ index: Int) -> UnsafeMutableRawBufferPointer {
    let start = index % capacity * slotSize
    return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + sizes[index % capacity]])
  }
}
