import TestAudio
import Testing

@testable import VoiceEdge

extension [UInt8] {
  /// Returns the bytes of a `struct input_event` on a 64-bit machine.
  static func inputEvent(type: UInt16, code: UInt16, value: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: 16)  // The time of the event.
    Swift.withUnsafeBytes(of: type) { bytes += $0 }
    Swift.withUnsafeBytes(of: code) { bytes += $0 }
    Swift.withUnsafeBytes(of: value) { bytes += $0 }
    return bytes
  }

  /// A press and a release of KEY_MICMUTE, as a keyboard reports them.
  static let micMutePress =
    inputEvent(type: 4, code: 4, value: 0x90_0000) + inputEvent(type: 1, code: 248, value: 1)
    + inputEvent(type: 0, code: 0, value: 0) + inputEvent(type: 1, code: 248, value: 0)
    + inputEvent(type: 0, code: 0, value: 0)
}

extension KeyEvents {
  /// Returns the number of presses of KEY_MICMUTE.
  mutating func presses(_ bytes: some Collection<UInt8>) -> Int {
    events(bytes).count { $0 == KeyEvent(key: .micMute, isPressed: true) }
  }
}

struct KeyEventsTests {
  @Test(
    arguments: [
      (248, .micMute), (164, .playPause), (200, .playPause), (201, .playPause), (207, .playPause),
      (226, .playPause), (169, .hookSwitch),
    ] as [(UInt16, HeadsetKey)])
  func eachKeyHasAPressAndARelease(code: UInt16, key: HeadsetKey) {
    var events = KeyEvents()
    let found = events.events(
      [UInt8].inputEvent(type: 1, code: code, value: 1)
        + .inputEvent(type: 1, code: code, value: 2) + .inputEvent(type: 1, code: code, value: 0))
    #expect(found == [KeyEvent(key: key, isPressed: true), KeyEvent(key: key, isPressed: false)])
  }

  @Test func theKeysOfACallMoveTheHook() {
    var events = KeyEvents()
    var found: [KeyEvent] = []
    for code in [0x1bd, 0x1be] as [UInt16] {
      for value in [1, 0] as [Int32] {
        found += events.events([UInt8].inputEvent(type: 1, code: code, value: value))
      }
    }
    #expect(
      found
        == [
          KeyEvent(key: .hookSwitch, isPressed: true),
          KeyEvent(key: .hookSwitch, isPressed: false),
        ])
  }

  @Test func aPressCountsOnceAndItsReleaseDoesNot() {
    var events = KeyEvents()
    let count = events.presses([UInt8].micMutePress)
    #expect(count == 1)
  }

  @Test func aHeldKeyIsOnePress() {
    var events = KeyEvents()
    let held = [UInt8].inputEvent(type: 1, code: 248, value: 2)
    let count = events.presses([UInt8].inputEvent(type: 1, code: 248, value: 1) + held + held)
    #expect(count == 1)
  }

  @Test func otherKeysAreNone() {
    var events = KeyEvents()
    var count = events.presses([UInt8].inputEvent(type: 1, code: 113, value: 1))
    count += events.presses([UInt8].inputEvent(type: 2, code: 248, value: 1))
    count += events.presses([UInt8].inputEvent(type: 1, code: 248, value: 0))
    #expect(count == 0)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func bytesMayComeInAnyPieces(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<50 { bytes += .micMutePress }
    var events = KeyEvents()
    var count = 0
    while !bytes.isEmpty {
      let piece = min(bytes.count, Int.random(in: 1...60, using: &generator))
      count += events.presses(bytes[..<piece])
      bytes.removeFirst(piece)
    }
    #expect(count == 50)
  }
}
