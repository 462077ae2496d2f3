internal import AudioCore
internal import SessionWire
internal import VoiceSessions

/// The last output of a session, serialized, for a client that resumes the session. The memory is
/// allocated with the first chunk, and its size does not change.
final class OutputHistory {
  /// The duration that is kept in real time, in frames. Older audio has no use for a live client.
  private static let realTimeFrames = 50
  /// The size that is kept under the media clock, in bytes.
  private static let mediaClockBytes = 1 << 20
  private static let fewestChunks = 4
  /// The largest part of a message that is not audio: for the chunks, and for each frame.
  private static let overhead = (chunks: 128, frame: 16)

  private struct Entry {
    var samples: Range<Int64> = 0..<0
    var size = 0
  }

  private let slotSize: Int
  private var entries: [Entry]
  private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The slot of the oldest chunk.
  private var head = 0
  private var count = 0

  init(_ setup: SessionSetup) {
    slotSize =
      setup.outputs.reduce(0) { $0 + $1.largestChunk(frames: setup.framesPerChunk) }
      + Self.overhead.chunks + Self.overhead.frame * setup.framesPerChunk
    let wanted =
      setup.isRealTime
      ? Self.realTimeFrames / setup.framesPerChunk : Self.mediaClockBytes / slotSize
    entries = [Entry](repeating: Entry(), count: max(Self.fewestChunks, wanted))
  }

  deinit { bytes.deallocate() }

  /// The index of the oldest sample of the processed output that is kept. Nil before the first chunk.
  var oldestSample: Int64? { count > 0 ? entries[head].samples.lowerBound : nil }

  /// Adds a chunk, in place of the oldest one if there is no room. Runs per chunk: no allocation after
  /// the first one, no lock, log or await.
  func add(_ chunk: OutputChunk) {
    let response = AudioResponse(chunk)
    guard response.size <= slotSize else { return }
    if bytes.isEmpty { bytes = .allocate(byteCount: slotSize * entries.count, alignment: 16) }
    let slot = (head + count) % entries.count
    if count < entries.count { count += 1 } else { head = (head + 1) % entries.count }
    let first = chunk.processed.firstSample
    let length = Int64(chunk.processed.sampleCount)
    entries[slot] = Entry(samples: first..<first + length, size: response.size)
    response.write(to: slice(slot))
  }

  /// Passes the messages with output from a sample on to `send`, the oldest first. Returns the index
  /// of their first sample, or nil if there are none.
  func read(from sample: Int64, _ send: (UnsafeRawBufferPointer) -> Void) -> Int64? {
    var first: Int64?
    for offset in 0..<count {
      let slot = (head + offset) % entries.count
      guard entries[slot].samples.upperBound > sample else { continue }
      first = first ?? entries[slot].samples.lowerBound
      send(UnsafeRawBufferPointer(slice(slot)))
    }
    return first
  }

  private func slice(_ slot: Int) -> UnsafeMutableRawBufferPointer {
    let start = slot * slotSize
    return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + entries[slot].size])
  }
}
