/// The fields of a HID report descriptor that contain keys of the Telephony Device page ("Device Class
/// Definition for Human Interface Devices" 1.11, section 6.2.2; "HID Usage Tables", page 0x0B).
struct HIDDescriptor: Sendable, Equatable {
  /// A field of an input report.
  struct Field: Sendable, Equatable {
    var reportID: UInt8
    /// The place of the field after the report's id.
    var bitOffset: Int
    var bitSize: Int
    /// The keys that the field can contain. A variable has one of them. An array contains an index
    /// into this list, counted from `least`.
    var keys: [HeadsetKey?]
    var isArray: Bool
    var least: Int32
    /// Whether each report with a 1 is a press of its own.
    var isRelative: Bool
  }

  /// The largest descriptor in bytes that Linux accepts.
  static let longest = 4096
  private static let mostFields = 64
  private static let mostUsages = 256
  private static let mostBits = 1 << 16
  private static let deepest = 8
  private static let telephonyPage: UInt32 = 0x0B

  private(set) var fields: [Field] = []
  /// Whether each report begins with its id.
  private(set) var hasReportIDs = false

  private struct Globals {
    var page: UInt32 = 0
    var least: Int32 = 0
    var reportSize = 0
    var reportCount = 0
    var reportID: UInt8 = 0
  }

  /// Reads a descriptor. Returns nil if it is not valid.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longest else { return nil }
    var globals = Globals()
    var stack: [Globals] = []
    var usages: [UInt32] = []
    var firstUsage: UInt32?
    var ends: [UInt8: Int] = [:]
    var index = 0
    while index < bytes.count {
      let prefix = bytes[index]
      // A long item, which no device uses.
      if prefix == 0xFE {
        guard index + 1 < bytes.count else { return nil }
        index += 3 + Int(bytes[index + 1])
        continue
      }
      let size = prefix & 3 == 3 ? 4 : Int(prefix & 3)
      guard index + size < bytes.count else { return nil }
      var value: UInt32 = 0
      for byte in 0..<size { value |= UInt32(bytes[index + 1 + byte]) << (8 * byte) }
      index += 1 + size
      switch prefix & 0xFC {
      case 0x04: globals.page = value << 16
      case 0x14: globals.least = Self.signed(value, size)
      case 0x74: globals.reportSize = Int(value)
      case 0x84:
        guard (1...255).contains(value) else { return nil }
        globals.reportID = UInt8(value)
        hasReportIDs = true
      case 0x94: globals.reportCount = Int(value)
      case 0xA4:
        guard stack.count < Self.deepest else { return nil }
        stack.append(globals)
      case 0xB4:
        guard let last = stack.popLast() else { return nil }
        globals = last
      case 0x08 where usages.count < Self.mostUsages: usages.append(Self.full(value, size, globals))
      case 0x18: firstUsage = Self.full(value, size, globals)
      case 0x28:
        let last = Self.full(value, size, globals)
        if let first = firstUsage, first <= last, last - first < UInt32(Self.mostUsages) {
          usages += first...last
        }
        firstUsage = nil
      case 0x80:
        guard globals.reportSize <= 32, globals.reportCount <= Self.mostBits / 32 else {
          return nil
        }
        let end = ends[globals.reportID] ?? 0
        guard end <= Self.mostBits else { return nil }
        // Bit 0 marks constant fields.
        if value & 1 == 0 { add(usages, globals, at: end, flags: value) }
        ends[globals.reportID] = end + globals.reportSize * globals.reportCount
        usages = []
      // Output, Feature, Collection and End Collection use up the usages.
      case 0x90, 0xB0, 0xA0, 0xC0: usages = []
      default: break
      }
      guard usages.count <= 2 * Self.mostUsages else { return nil }
    }
  }

  private mutating func add(_ usages: [UInt32], _ globals: Globals, at offset: Int, flags: UInt32) {
    guard let last = usages.last, globals.reportSize > 0 else { return }
    let isArray = flags & 2 == 0
    for number in 0..<globals.reportCount where fields.count < Self.mostFields {
      let named = isArray ? usages : [number < usages.count ? usages[number] : last]
      let keys = named.map(Self.key)
      guard keys.contains(where: { $0 != nil }) else { continue }
      fields.append(
        Field(
          reportID: globals.reportID, bitOffset: offset + number * globals.reportSize,
          bitSize: globals.reportSize, keys: keys, isArray: isArray, least: globals.least,
          isRelative: flags & 4 != 0))
    }
  }

  private static func key(_ usage: UInt32) -> HeadsetKey? {
    guard usage >> 16 == telephonyPage else { return nil }
    return switch usage & 0xFFFF {
    case 0x20: .hookSwitch
    case 0x2F: .micMute
    case 0x9E: .ring
    default: nil
    }
  }

  /// Returns a usage with its page. Four bytes contain both.
  private static func full(_ value: UInt32, _ size: Int, _ globals: Globals) -> UInt32 {
    size == 4 ? value : globals.page | value
  }

  private static func signed(_ value: UInt32, _ size: Int) -> Int32 {
    switch size {
    case 1: Int32(Int8(truncatingIfNeeded: value))
    case 2: Int32(Int16(truncatingIfNeeded: value))
    default: Int32(bitPattern: value)
    }
  }
}
