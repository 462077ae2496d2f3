internal import Settings

extension EdgeConfiguration {
  static let routingSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "routing.headsets", flag: "routing-headsets", \.switching.headsets,
      .list("id", allowed: "ids of ports; repeatable"),
      """
      The ports that are shared headsets. The port of a headset has the same id on each machine. \
      Without any, this machine takes no part
      """),
    Setting(
      "routing.group", flag: "routing-group", \.switching.group, .identifier,
      """
      The group of machines. With verified clients, each principal has groups of its own, and none \
      needs a name
      """),
    Setting(
      "routing.machine", flag: "routing-machine", \.switching.machine, .identifier,
      "The name of this machine in the group", unset: "this machine's host name"),
    Setting(
      "routing.call", flag: "routing-call", \.switching.call, .choice,
      """
      The sign of a call for the arbiter. With automatic, it is a call by the rule of calls.begin \
      that a program takes part in, or the sound of the far end; with far-end, programs.far_end \
      sounds, and pauses of up to 10 s belong to the call; with voice, a program reads \
      programs.voice, which must be a FIFO
      """),
  ]

  /// The shared headsets, and this machine in the group of its person.
  public struct Switching: Sendable, Equatable {
    public var group = ""
    public var machine = ""
    /// The ids of the ports that are shared headsets. Empty switches automatic switching off.
    public var headsets: [String] = []
    public var call = Call.automatic

    public var isOn: Bool { !headsets.isEmpty }

    /// The sign of a call.
    public enum Call: String, Sendable, CaseIterable {
      /// The call of this machine. Without a sign of when it begins and ends, the far end's sound.
      case automatic
      /// The far end sounds. Pauses of up to 10 s belong to the call.
      case farEnd = "far-end"
      /// A program reads the voice from its FIFO.
      case voice
    }
  }
}

extension LayeredValues<EdgeConfiguration> {
  /// The most that the arbiter accepts.
  private static var mostHeadsets: Int { 16 }

  /// Checks the section `routing`, after `routes` and `programs`.
  func settleSwitching() throws(SettingsError) {
    let switching = values.switching
    for (index, headset) in switching.headsets.enumerated() {
      guard values.routes.ports.contains(where: { $0.id == headset }) else {
        throw wrong("routing.headsets", at: index, "there is no port \"\(headset)\"")
      }
      guard !switching.headsets[..<index].contains(headset) else {
        throw wrong("routing.headsets", at: index, "\"\(headset)\" is already in the list")
      }
    }
    guard switching.headsets.count <= Self.mostHeadsets else {
      throw wrong("routing.headsets", "has more than \(Self.mostHeadsets) ids")
    }
    guard values.programs.media != .arbiter || switching.isOn else {
      throw wrong("programs.media", "arbiter needs routing.headsets")
    }
    guard switching.call != .voice || !switching.isOn || voiceIsFIFO else {
      throw wrong("routing.call", "voice needs programs.voice with fifo:PATH")
    }
  }

  private var voiceIsFIFO: Bool {
    if case .fifo = values.programs.voice { true } else { false }
  }
}
