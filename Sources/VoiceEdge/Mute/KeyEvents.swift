/// A parser of KEY_MICMUTE presses in the data of a Linux input device: `struct input_event` of
/// <linux/input.h>, 24 bytes on 64-bit machines.
struct KeyEvents {
  private static let size = 24
  private static let keyEvent: UInt16 = 1
  private static let micMute: UInt16 = 248

  private var rest: [UInt8] = []

  /// Adds bytes in pieces of any length.
  ///
  /// - Returns: The number of presses. Releases and repeats do not count.
  mutating func presses(_ bytes: some Collection<UInt8>) -> Int {
    rest += bytes
    var count = 0
    var start = 0
    while rest.count - start >= Self.size {
      rest.withUnsafeBytes { bytes in
        let type = bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt16.self)
        let code = bytes.loadUnaligned(fromByteOffset: start + 18, as: UInt16.self)
        let value = bytes.loadUnaligned(fromByteOffset: start + 20, as: Int32.self)
        if type == Self.keyEvent, code == Self.micMute, value == 1 { count += 1 }
      }
      start += Self.size
    }
    rest.removeFirst(start)
    return count
  }
}
