/// The application's audio that waits to be played, as bytes of 16-bit samples.
struct PlaybackQueue {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }

  mutating func append(_ new: [UInt8]) { bytes += new }

  /// Takes bytes for the next instant, with silence in place of bytes that are missing.
  mutating func take(_ wanted: Int) -> [UInt8] {
    let end = min(bytes.count, start + wanted)
    let result = bytes[start..<end] + repeatElement(0, count: wanted - (end - start))
    start = end
    if start == bytes.count {
      removeAll()
    } else if start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    return Array(result)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    start = 0
  }
}
