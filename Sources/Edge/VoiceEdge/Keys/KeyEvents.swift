/// A parser of keys in the data of a Linux input device: `struct input_event` of <linux/input.h>, 24
/// bytes on 64-bit machines.
struct KeyEvents {
  private static let size = 24
  private static let keyEvent: UInt16 = 1

  private var rest: [UInt8] = []

  /// Adds bytes in pieces of any length.
  ///
  /// - Returns: The presses and releases of known keys. Repeats do not count.
  mutating func events(_ bytes: some Collection<UInt8>) -> [KeyEvent] {
    rest += bytes
    var events: [KeyEvent] = []
    var start = 0
    while rest.count - start >= Self.size {
      rest.withUnsafeBytes { bytes in
        let type = bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt16.self)
        let code = bytes.loadUnaligned(fromByteOffset: start + 18, as: UInt16.self)
        let value = bytes.loadUnaligned(fromByteOffset: start + 20, as: Int32.self)
        if type == Self.keyEvent, let event = Self.event(code, value) { events.append(event) }
      }
      start += Self.size
    }
    rest.removeFirst(start)
    return events
  }

  /// Returns the event for a code of <linux/input-event-codes.h>. A value of 2 is a repeat.
  private static func event(_ code: UInt16, _ value: Int32) -> KeyEvent? {
    guard value == 0 || value == 1 else { return nil }
    switch code {
    // KEY_MICMUTE.
    case 248: return KeyEvent(key: .micMute, isPressed: value == 1)
    // KEY_PLAYPAUSE, KEY_PLAYCD, KEY_PAUSECD, KEY_PLAY and KEY_MEDIA.
    case 164, 200, 201, 207, 226: return KeyEvent(key: .playPause, isPressed: value == 1)
    // KEY_PHONE.
    case 169: return KeyEvent(key: .hookSwitch, isPressed: value == 1)
    // KEY_PICKUP_PHONE and KEY_HANGUP_PHONE, of which only the press counts.
    case 0x1bd where value == 1: return KeyEvent(key: .hookSwitch, isPressed: true)
    case 0x1be where value == 1: return KeyEvent(key: .hookSwitch, isPressed: false)
    default: return nil
    }
  }
}
