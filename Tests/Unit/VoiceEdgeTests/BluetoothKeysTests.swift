@testable import VoiceEdge
import Foundation
import Synchronization
import Testing
import TestTime

/// The keys that were pressed.
private final class Keys: Sendable {
  private let events = Mutex<[KeyEvent]>([])

  func add(_ event: KeyEvent) { events.withLock { $0.append(event) } }

  var all: [KeyEvent] { events.withLock { $0 } }
}

/// The buttons of Bluetooth headsets. The bus is real. bluetoothd needs a radio, so a program with its
/// interface takes its place (`Tests/Support/BusPrograms/bluez.py`).
@Suite(.serialized, .timeLimit(.minutes(1)))
struct BluetoothKeysTests {
  private static let service = "org.bluez"

  private func press(_ method: String, _ bus: PrivateBus) async throws {
    let connection = try await BusConnection.open(bus.address)
    try await connection.call(
      BusCall(
        Self.service, "/org/bluez/hci0", "org.example.Headset", "Press", [.string(method)]))
  }

  @Test func theButtonsArriveAlsoAfterARestart() async throws {
    let bus = try await PrivateBus(Folder())
    let log = Lines()
    let events = Keys()
    let keys = try #require(
      BluetoothKeys("bluez:\(bus.address.text)", log: log.add) { event in
        events.add(event)
      })
    let work = Task { await keys.run() }
    defer { work.cancel() }
    func registered(_ count: Int) async throws {
      try await eventually("registered") { log.all.count { $0.contains("registered") } == count }
    }
    try await bus.start("bluez.py", [], name: Self.service)
    try await registered(1)
    for method in ["Play", "Pause", "PlayPause", "Next"] { try await press(method, bus) }
    try await eventually("pressed") { events.all.count == 3 }
    bus.end(Self.service)
    try await bus.start("bluez.py", [], name: Self.service)
    try await registered(2)
    try await press("Pause", bus)
    try await eventually("pressed") { events.all.count == 4 }
    #expect(events.all.allSatisfy { $0 == KeyEvent(key: .playPause, isPressed: true) })
  }

  @Test func aButtonMutesTheAgent() async throws {
    let bus = try await PrivateBus(Folder())
    try await bus.start("bluez.py", [], name: Self.service)
    try await AgentRig.run { setup in
      setup.configuration.mute.keys = ["bluez:\(bus.address.text)"]
      setup.configuration.keys.actions[.playPause] = .mute
    } _: { rig in
      try await eventually("registered") { rig.log.contain("headset buttons: registered") }
      // A gesture before the first audio is ignored.
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      try await press("Pause", bus)
      try await eventually("muted") { rig.status.mute.isMuted }
      try await press("Play", bus)
      try await eventually("unmuted") { !rig.status.mute.isMuted }
    }
  }

  @Test func settingsAreRecognised() {
    #expect(BluetoothKeys.isNamed(by: "bluez"))
    #expect(!BluetoothKeys.isNamed(by: "/dev/bluez"))
    #expect(BluetoothKeys.problem(in: "bluez") == nil)
    #expect(BluetoothKeys.problem(in: "bluez:unixexec:path=/bin/sh") != nil)
  }
}
