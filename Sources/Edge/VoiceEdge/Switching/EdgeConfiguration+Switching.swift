internal import AnechoicAPI
internal import Settings

extension EdgeConfiguration {
  /// The shared headsets, and this machine in the group of its person.
  public struct Switching: Sendable, Equatable {
    public var group = ""
    public var machine = ""
    /// The ids of the ports that are shared headsets. Empty switches automatic switching off.
    public var headsets: [String] = []
    public var call = Call.farEnd

    public var isOn: Bool { !headsets.isEmpty }

    /// The sign of a call.
    public enum Call: String, Sendable, CaseIterable {
      /// The far end sounds. Pauses of up to 10 s belong to the call.
      case farEnd = "far-end"
      /// A program reads the voice from its FIFO.
      case voice
    }
  }

  /// Reads the section `routing`, after `routes` and `programs`.
  mutating func readSwitching(
    _ section: SettingsSection, hostName: String
  ) throws(SettingsError) {
    try section.check(["group", "machine", "headsets", "call"])
    if let group = try section.filled("group") {
      guard Identifier.isValid(group.text) else { throw group.wrong(Identifier.rule) }
      switching.group = group.text
    }
    switching.machine = String(hostName.prefix(Identifier.longest))
    if let machine = try section.value("machine") {
      guard Identifier.isValid(machine.text) else { throw machine.wrong(Identifier.rule) }
      switching.machine = machine.text
    }
    for headset in try section.list("headsets") {
      guard routes.ports.contains(where: { $0.id == headset.text }) else {
        throw headset.wrong("there is no port \"\(headset.text)\"")
      }
      guard !switching.headsets.contains(headset.text) else {
        throw headset.wrong("\"\(headset.text)\" is already in the list")
      }
      switching.headsets.append(headset.text)
    }
    guard switching.headsets.count <= Self.mostHeadsets else {
      throw section.wrong("headsets", "has more than \(Self.mostHeadsets) ids")
    }
    switching.call =
      try section.choice("call", Switching.Call.allCases.map { ($0.rawValue, $0) })
      ?? switching.call
    guard programs.media != .arbiter || switching.isOn else {
      throw section.wrong("headsets", "is required by programs.media: arbiter")
    }
    guard switching.call != .voice || !switching.isOn || voiceIsFIFO else {
      throw section.wrong("call", "voice needs programs.voice with fifo:PATH")
    }
  }

  /// The most that the arbiter accepts.
  private static let mostHeadsets = 16

  private var voiceIsFIFO: Bool {
    if case .fifo = programs.voice { true } else { false }
  }
}
