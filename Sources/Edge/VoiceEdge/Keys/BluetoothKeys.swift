internal import EdgeAudio

/// The buttons of Bluetooth headsets, through BlueZ: the agent registers a media player at each adapter
/// (`org.bluez.Media1.RegisterPlayer`), whose methods bluetoothd calls when a button is pressed (AVRCP).
/// Registers again when bluetoothd or the bus was restarted, and for each new adapter.
struct BluetoothKeys: Sendable {
  /// The setting that names this source of keys. An address of the system bus may follow.
  static let setting = "bluez"

  private static let path = "/org/anechoic/edge/player"
  private static let service = "org.bluez"
  private static let media = "org.bluez.Media1"
  private static let player = "org.mpris.MediaPlayer2.Player"
  private static let properties = "org.freedesktop.DBus.Properties"
  /// Play and pause share one button on most headsets.
  private static let methods: Set = ["Play", "Pause", "PlayPause"]

  private let address: BusAddress
  private let log: @Sendable (String) -> Void
  private let happened: @Sendable (KeyEvent) -> Void

  /// Creates the source of a setting, or nil for a setting of another source.
  init?(
    _ setting: String, log: @escaping @Sendable (String) -> Void,
    happened: @escaping @Sendable (KeyEvent) -> Void
  ) {
    guard let address = Self.address(of: setting) else { return nil }
    self.address = address
    self.log = log
    self.happened = happened
  }

  /// Returns whether a setting names this source. Its address may still be wrong.
  static func isNamed(by setting: String) -> Bool {
    setting == Self.setting || setting.hasPrefix("\(Self.setting):")
  }

  /// Returns the reason why the address of a setting cannot be used, or nil.
  static func problem(in setting: String) -> String? {
    setting == Self.setting
      ? nil : BusAddress.problem(in: String(setting.dropFirst(Self.setting.count + 1)))
  }

  private static func address(of setting: String) -> BusAddress? {
    guard isNamed(by: setting) else { return nil }
    return setting == Self.setting
      ? .system() : BusAddress(String(setting.dropFirst(Self.setting.count + 1)))
  }

  /// Follows the headsets until the task is cancelled.
  func run() async {
    var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
    var lastProblem: String?
    while !Task.isCancelled {
      do throws(BusError) {
        let bus = try await BusConnection.open(address)
        backoff.reset()
        lastProblem = nil
        try await follow(bus)
      } catch {
        if error.description != lastProblem { log("headset buttons: \(error); trying again") }
        lastProblem = error.description
      }
      try? await Task.sleep(for: backoff.next())
    }
  }

  private func follow(_ bus: BusConnection) async throws(BusError) {
    try await bus.watch(
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(Self.service)'")
    try await bus.watch(
      "type='signal',sender='\(Self.service)',"
        + "interface='org.freedesktop.DBus.ObjectManager',member='InterfacesAdded'")
    await withDiscardingTaskGroup { group in
      group.addTask { await register(on: bus) }
      for await message in bus.messages {
        switch message.kind {
        case .call: answer(message, on: bus)
        case .signal where isNewAdapter(message): group.addTask { await register(on: bus) }
        case .signal: break
        }
      }
    }
  }

  /// Returns whether a signal tells of bluetoothd's start, or of a new adapter.
  private func isNewAdapter(_ signal: BusMessage) -> Bool {
    let values = signal.arguments
    switch signal.member {
    case "NameOwnerChanged":
      return values.count == 3 && values[0].text == Self.service && values[2].text != ""
    case "InterfacesAdded": return values.count == 2 && values[1].named?[Self.media] != nil
    default: return false
    }
  }

  /// Registers the player at all adapters. An adapter that has it already refuses, which does no harm.
  private func register(on bus: BusConnection) async {
    let list = BusCall(
      Self.service, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    guard let objects = try? await bus.call(list).first?.named else { return }
    for (adapter, interfaces) in objects where interfaces.named?[Self.media] != nil {
      let call = BusCall(
        Self.service, adapter, Self.media, "RegisterPlayer",
        [.objectPath(Self.path), .dictionary(Self.state)])
      if (try? await bus.call(call)) != nil {
        log("headset buttons: registered at \(adapter)")
      }
    }
  }

  /// The properties of the player, which says that it plays, so that a button means a pause.
  private static let state: [String: BusValue] = [
    "Identity": .string("Anechoic"), "PlaybackStatus": .string("Playing"),
    "CanPlay": .boolean(true), "CanPause": .boolean(true), "CanControl": .boolean(true),
  ]

  private func answer(_ call: BusMessage, on bus: BusConnection) {
    switch (call.interface, call.member) {
    case (Self.player, let method) where call.path == Self.path && Self.methods.contains(method):
      happened(KeyEvent(key: .playPause, isPressed: true))
      bus.answer(call, .success([]))
    case (Self.properties, "GetAll") where call.path == Self.path:
      bus.answer(call, .success([.dictionary(Self.state)]))
    default:
      bus.answer(call, .failure(BusError(.refused, "there is no \(call.member)")))
    }
  }
}
