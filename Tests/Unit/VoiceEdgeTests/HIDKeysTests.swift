import TestAudio
import Testing

@testable import VoiceEdge

/// Reports of telephone keys. The descriptors follow "HID Usage Tables" and the headsets that the
/// comments describe.
struct HIDKeysTests {
  /// A headset with volume keys in report 1, and in report 2 hook switch, busy tone, phone mute, flash
  /// and redial, the rest of the byte, and three bits of LEDs as output.
  static let headset: [UInt8] = [
    0x05, 0x0C, 0x09, 0x01, 0xA1, 0x01, 0x85, 0x01, 0x15, 0x00, 0x25, 0x01, 0x09, 0xEA, 0x09, 0xE9,
    0x75, 0x01, 0x95, 0x02, 0x81, 0x02, 0x95, 0x06, 0x81, 0x01, 0xC0,
    0x05, 0x0B, 0x09, 0x05, 0xA1, 0x01, 0x85, 0x02, 0x25, 0x01, 0x15, 0x00, 0x75, 0x01, 0x95, 0x05,
    0x09, 0x20, 0x09, 0x97, 0x09, 0x2F, 0x09, 0x21, 0x09, 0x24, 0x81, 0x22, 0x95, 0x03, 0x81, 0x01,
    0x05, 0x08, 0x95, 0x03, 0x09, 0x17, 0x09, 0x09, 0x09, 0x18, 0x91, 0x22, 0x95, 0x05, 0x91, 0x01,
    0xC0,
  ]

  /// A telephone without report ids: an array of one byte with the usages 0x20 to 0x2F.
  static let telephone: [UInt8] = [
    0x05, 0x0B, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x01, 0x25, 0x10, 0x75, 0x08, 0x95, 0x01, 0x19, 0x20,
    0x29, 0x2F, 0x81, 0x00, 0xC0,
  ]

  private func keys(_ descriptor: [UInt8]) throws -> HIDKeys {
    HIDKeys(try #require(HIDDescriptor(descriptor)))
  }

  @Test func theBitsOfAHeadsetAreItsKeys() throws {
    var keys = try keys(Self.headset)
    let found = [
      [2, 0b0000_0001], [2, 0b0000_0101], [2, 0b0000_0101], [2, 0b0000_0001], [1, 0xFF], [2, 0],
    ].map { (report: [UInt8]) in keys.events(report) }
    #expect(
      found
        == [
          [KeyEvent(key: .hookSwitch, isPressed: true)],
          [KeyEvent(key: .micMute, isPressed: true)], [],
          [KeyEvent(key: .micMute, isPressed: false)], [],
          [KeyEvent(key: .hookSwitch, isPressed: false)],
        ])
  }

  @Test func anArrayContainsTheIndexOfAKey() throws {
    var keys = try keys(Self.telephone)
    let found = [[0x10], [0], [1], [0xFF]].map { (report: [UInt8]) in keys.events(report) }
    #expect(
      found
        == [
          [KeyEvent(key: .micMute, isPressed: true)],
          [KeyEvent(key: .micMute, isPressed: false)],
          [KeyEvent(key: .hookSwitch, isPressed: true)],
          [KeyEvent(key: .hookSwitch, isPressed: false)],
        ])
  }

  @Test func eachReportOfARelativeKeyIsAPress() throws {
    // As the headset's, with phone mute as a relative bit of its own.
    let descriptor: [UInt8] = [
      0x05, 0x0B, 0x09, 0x05, 0xA1, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x01, 0x09,
      0x2F, 0x81, 0x06, 0x95, 0x07, 0x81, 0x01, 0xC0,
    ]
    var keys = try keys(descriptor)
    let press = KeyEvent(key: .micMute, isPressed: true)
    let found = [[1], [1], [0], [1]].map { (report: [UInt8]) in keys.events(report) }
    #expect(found == [[press], [press], [], [press]])
  }

  @Test func usagesMayNameTheirPage() throws {
    // The usage 0x000B0020 in four bytes, on the page of LEDs.
    let descriptor: [UInt8] = [
      0x05, 0x08, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x01, 0x0B, 0x20, 0x00, 0x0B, 0x00, 0x81, 0x02,
      0xC0,
    ]
    var keys = try keys(descriptor)
    let found = keys.events([4])
    #expect(found == [KeyEvent(key: .hookSwitch, isPressed: true)])
  }

  @Test func reportsThatAreTooShortAreIgnored() throws {
    var keys = try keys(Self.headset)
    let found = [[], [2], [9, 1]].flatMap { (report: [UInt8]) in keys.events(report) }
    #expect(found.isEmpty)
  }

  @Test func descriptorsThatAreNotValidAreRefused() {
    #expect(HIDDescriptor([0x05]) == nil)
    #expect(HIDDescriptor([0xB4]) == nil)
    #expect(HIDDescriptor([0x85, 0]) == nil)
    #expect(HIDDescriptor([UInt8](repeating: 0xA4, count: 9)) == nil)
    #expect(HIDDescriptor([0x97, 0xFF, 0xFF, 0xFF, 0x7F, 0x81, 0x02]) == nil)
    #expect(HIDDescriptor([UInt8](repeating: 0, count: 4097)) == nil)
    #expect(HIDDescriptor([])?.fields == [])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func anyBytesAreReadOrRefused(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var bytes = Bool.random(using: &generator) ? Self.headset : Self.telephone
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        bytes[bytes.indices.randomElement(using: &generator) ?? 0] = .random(
          in: 0...255, using: &generator)
      }
      guard let descriptor = HIDDescriptor(bytes) else { continue }
      var keys = HIDKeys(descriptor)
      for _ in 0..<4 {
        let length = Int.random(in: 0...8, using: &generator)
        _ = keys.events((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
      }
    }
  }
}
