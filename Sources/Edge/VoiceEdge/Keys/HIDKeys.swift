/// A parser of telephone keys in the reports of a HID device.
struct HIDKeys {
  private let descriptor: HIDDescriptor
  private var pressed: Set<HeadsetKey> = []

  init(_ descriptor: HIDDescriptor) { self.descriptor = descriptor }

  /// Returns the presses and releases in one report.
  mutating func events(_ report: some Collection<UInt8>) -> [KeyEvent] {
    let bytes = Array(report)
    let identifier = descriptor.hasReportIDs ? bytes.first ?? 0 : 0
    let start = descriptor.hasReportIDs ? 8 : 0
    var found: Set<HeadsetKey> = []
    var known: [HeadsetKey] = []
    var events: [KeyEvent] = []
    for field in descriptor.fields where field.reportID == identifier {
      guard let value = Self.bits(bytes, start + field.bitOffset, field.bitSize) else { continue }
      let now = Self.key(in: field, value)
      if field.isRelative {
        if let now { events.append(KeyEvent(key: now, isPressed: true)) }
        continue
      }
      for case let key? in field.keys where !known.contains(key) { known.append(key) }
      if let now { found.insert(now) }
    }
    for key in known where found.contains(key) != pressed.contains(key) {
      let isPressed = found.contains(key)
      if isPressed { pressed.insert(key) } else { pressed.remove(key) }
      events.append(KeyEvent(key: key, isPressed: isPressed))
    }
    return events
  }

  /// Returns the key that a field says is pressed.
  private static func key(in field: HIDDescriptor.Field, _ value: UInt32) -> HeadsetKey? {
    guard field.isArray else { return value == 0 ? nil : field.keys.first ?? nil }
    let index = Int(value) - Int(field.least)
    return field.keys.indices.contains(index) ? field.keys[index] : nil
  }

  /// Returns up to 32 bits, or nil if the report is too short.
  private static func bits(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt32? {
    guard offset + size <= bytes.count * 8 else { return nil }
    var value: UInt32 = 0
    for bit in 0..<size {
      let place = offset + bit
      value |= UInt32(bytes[place / 8] >> (place % 8) & 1) << bit
    }
    return value
  }
}
