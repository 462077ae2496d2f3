@testable import VoiceEdge
import Foundation
import Synchronization
import Testing
import TestTime

/// A message bus of a test: a real dbus-daemon at an address of its own, and programs on it. Real players
/// and bluetoothd cannot run on a machine without a desktop and a radio, so Tests/Support/BusPrograms has programs
/// with their interfaces.
final class PrivateBus: Sendable {
  let address: BusAddress
  private let folder: Folder
  private let daemon = Mutex<Process?>(nil)
  private let programs = Mutex<[String: Process]>([:])

  init(_ folder: Folder) async throws {
    self.folder = folder
    address = BusAddress("unix:path=\(folder.path("bus"))")
    try folder.write(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>\(address.text)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """, "bus.conf")
    try await start()
  }

  deinit { stop() }

  func start() async throws {
    let process = try run(
      "/usr/bin/dbus-daemon", ["--nofork", "--nosyslog", "--config-file", folder.path("bus.conf")])
    daemon.withLock { $0 = process }
    try await eventually("the bus answers") {
      (try? await BusConnection.open(address)) != nil
    }
  }

  /// Ends the daemon and all programs.
  func stop() {
    let all = programs.withLock { programs in
      defer { programs = [:] }
      return Array(programs.values)
    }
    for process in all + [daemon.withLock { $0 }].compactMap({ $0 }) {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: folder.path("bus"))
  }

  /// Starts a program of Tests/Support/BusPrograms, and waits until it has its name on the bus.
  func start(_ program: String, _ arguments: [String], name: String) async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Support/BusPrograms/\(program)").standardized.path
    let process = try run("/usr/bin/python3", [script] + arguments)
    programs.withLock { $0[name] = process }
    let bus = try await BusConnection.open(address)
    try await eventually("\(name) has its name") {
      try await bus.call(.bus("NameHasOwner", [.string(name)])) == [.boolean(true)]
    }
  }

  /// Ends a program.
  func end(_ name: String) {
    guard let process = programs.withLock({ $0.removeValue(forKey: name) }) else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func run(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging([
      "DBUS_SESSION_BUS_ADDRESS": address.text, "DBUS_SYSTEM_BUS_ADDRESS": address.text,
    ]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }
}

/// The notification service of a private bus, `notifications.py`.
extension PrivateBus {
  static let notifications = "org.freedesktop.Notifications"
  private static let notificationPath = "/org/freedesktop/Notifications"

  /// Returns the titles ("Shown") or the texts ("Texts") of the notifications that are shown.
  func shown(_ property: String) async throws -> [String] {
    let value = try await BusConnection.open(address).call(
      .property(property, of: "org.anechoic.Test", Self.notifications, Self.notificationPath))
    return value.first?.elements?.compactMap(\.text) ?? []
  }

  /// Presses a button of the newest notification.
  func press(_ button: String) async throws {
    try await BusConnection.open(address).call(
      BusCall(
        Self.notifications, Self.notificationPath, "org.anechoic.Test", "Press",
        [.string(button)]))
  }
}

/// A player on a private bus.
struct TestPlayer {
  let bus: PrivateBus
  let name: String
  private let connection: BusConnection

  private static let path = "/org/mpris/MediaPlayer2"
  private static let interface = "org.mpris.MediaPlayer2.Player"

  /// Starts a player. `manner` is "silent" or "slow", or nil for one that does at once as it is told.
  init(
    _ bus: PrivateBus, _ name: String, _ status: String, manner: String? = nil
  ) async throws {
    self.bus = bus
    self.name = "org.mpris.MediaPlayer2.\(name)"
    connection = try await BusConnection.open(bus.address)
    try await bus.start(
      "player.py", [name, status] + (manner.map { [$0] } ?? []), name: self.name)
  }

  var status: String {
    get async throws { try await property("PlaybackStatus").text ?? "" }
  }

  /// The number of calls of Play, Pause and Stop.
  var calls: Int32 {
    get async throws {
      guard case .int32(let calls) = try await property("Calls") else { return -1 }
      return calls
    }
  }

  /// Uses the player as a person does: Play, Pause or Stop.
  func press(_ method: String) async throws {
    try await connection.call(BusCall(name, Self.path, Self.interface, method))
  }

  func end() { bus.end(name) }

  private func property(_ property: String) async throws -> BusValue {
    try await connection.call(.property(property, of: Self.interface, name, Self.path))[0]
  }
}
