public import AnechoicAPI
public import EdgeAudio
internal import SessionWire
internal import Settings
internal import VoiceSessions

extension EdgeConfiguration {
  public struct Routes: Sendable {
    public var policy = Policy.priority
    /// The ports, in the order of the file.
    public var ports: [Port] = []
    /// The port that flags and variables describe. It has a device only if they name one.
    var commandLine = Port(id: Port.commandLineID)

    public enum Policy: Sendable, Equatable {
      /// Uses the present port with the highest priority.
      case priority
      /// Uses the port that was plugged in or selected last, and at the start the one with the
      /// highest priority.
      case followsUse
      /// Uses only this port.
      case only(String)
    }
  }

  /// A microphone and a loudspeaker that belong together.
  public struct Port: Sendable, Equatable {
    /// An id that survives reboots and replugging.
    public var id: String
    public var displayName = ""
    public var type = Anechoic_V1_AudioPort.TypeEnum.unspecified
    /// The ALSA PCM of the microphone. Nil for none.
    public var input: String?
    public var output: String?
    /// The PCM that captures the loudspeaker signal.
    public var loopback: String?
    /// The mixer. It reports the capture switch and devices that disappear.
    public var control: String?
    /// The jack of the port, whose state says whether the port is plugged in. Nil for a port
    /// without one.
    public var jack: JackName?
    /// The channels of the input that are the microphone. Empty for the first ones.
    public var inputChannels: [String] = []
    /// The channels of the input that carry what the loudspeaker plays.
    public var referenceChannels: [String] = []
    /// The channels of the output that are left and right. Empty for all.
    public var outputChannels: [String] = []
    public var headphones = false
    /// The direction in which the two microphones of the input hear together.
    public var pattern = Pattern.none
    /// The distance of the two microphones in mm.
    public var microphoneSpacing = 20
    /// Whether the two microphones have changed places, because the device is held the other way
    /// round.
    public var isTurned = false
    /// The product whose tuning applies. Nil selects the product with the id of the port.
    public var product: String?
    public var priority = 0

    public init(id: String) { self.id = id }

    public enum Pattern: String, Sendable, CaseIterable {
      /// Each microphone is a channel.
      case none
      case cardioid
      case stereo
    }

    /// The id of the port that flags describe.
    static let commandLineID = "command-line"
  }

  static let routesSection: [Setting<EdgeConfiguration>] =
    [
      Setting(
        "routes.policy", flag: "routes-policy", \.routes.policy, .policy,
        """
        The port to use. With priority, the port with the highest priority that is plugged in; \
        with follows-use, the port that was plugged in or selected last, and at the start the one \
        with the highest priority; with an id, only this port, and no sound while it is unplugged
        """),
      Setting(
        "routes.ports", \.routes.ports, .ports,
        """
        The pairs of a microphone and a loudspeaker. Without any, one port with the id "default" \
        and ALSA's default devices
        """),
    ] + commandLinePort

  /// Flags describe only one port, so these have no keys in the file.
  private static let commandLinePort: [Setting<EdgeConfiguration>] = [
    Setting(
      "routes.input", isInFile: false, \.routes.commandLine.input, .optional(.device),
      "The microphone, instead of those of routes.ports"),
    Setting(
      "routes.output", isInFile: false, \.routes.commandLine.output, .optional(.device),
      "The loudspeaker, instead of those of routes.ports"),
    Setting(
      "routes.loopback", isInFile: false, \.routes.commandLine.loopback, .optional(.device),
      "A capture PCM with the audio that the loudspeaker plays, as the echo reference"),
    Setting(
      "routes.control", isInFile: false, \.routes.commandLine.control, .optional(.mixer),
      "The mixer of the microphone"),
  ]
}

extension EdgeConfiguration.Port {
  /// Ids with another meaning for the policy or the `route` command.
  private static let reserved: Set = [
    "automatic", "none", "priority", "follows-use", commandLineID,
  ]

  /// ALSA's default devices.
  static let standard: EdgeConfiguration.Port = {
    var port = EdgeConfiguration.Port(id: "default")
    (port.input, port.output) = ("default", "default")
    return port
  }()

  /// The keys of a port.
  static let table = SettingsTable<EdgeConfiguration.Port>(
    [
      Setting(
        "id", \.id, .portID,
        "An id that never changes, so not a card number", unset: "required"),
      Setting(
        "name", \.displayName, .portName, "A name for people", unset: "the id"),
      Setting("type", \.type, .portType, "The kind of connection"),
      Setting(
        "input", \.input, .optional(.device),
        "The microphone. Name cards by their ids, for example plughw:CARD=Desk,DEV=0"),
      Setting("output", \.output, .optional(.device), "The loudspeaker"),
      Setting(
        "loopback", \.loopback, .optional(.device),
        "A capture PCM that provides the loudspeaker signal"),
      Setting("control", \.control, .optional(.mixer), "The mixer. Its capture switch also mutes"),
      Setting(
        "jack", \.jack, .jack,
        """
        The jack of the port, as anechoic-edge devices lists it, for example "Headphone Jack". The \
        port then counts as plugged in while something is in the jack. The jack is looked for at \
        the control of the port, and without one at the card of its output or input
        """),
      Setting(
        "input_channel_map", \.inputChannels, .channels,
        """
        The channels of the input that are the microphone, or the two microphones of a pair: \
        numbers from 1, or positions such as FL, FR and LFE
        """, unset: "the first ones"),
      Setting(
        "reference_channel_map", \.referenceChannels, .channels,
        "The channels of the input that carry what the loudspeaker plays, as the echo reference",
        unset: "none"),
      Setting(
        "output_channel_map", \.outputChannels, .channels,
        """
        The channels of the output that play: one for both sides, or left and right. The other \
        channels are silent
        """, unset: "all of them: the first left, the others right"),
      Setting(
        "headphones", \.headphones, .boolean,
        "Whether only the wearer hears the output. Echo cancellation pauses for headphones"),
      Setting(
        "pattern", \.pattern, .choice,
        """
        The direction in which the two microphones of the input hear together: none, cardioid for \
        the side of the first one, or stereo. Needs audio.input_channels 2. anechoic-edge \
        microphone changes it during a call
        """),
      Setting(
        "microphone_spacing", \.microphoneSpacing, .integer(5...50),
        "The distance of the two microphones in mm"),
      Setting(
        "turned", \.isTurned, .boolean,
        "Whether the second microphone is in front, or left, because the device is held that way"),
      Setting(
        "product", \.product, .optional(.filledText("name", allowed: "a name in audio.tuning")),
        "The product whose tuning applies", unset: "the product with the id of the port"),
      Setting(
        "priority", \.priority, .integer(-1000...1000),
        "The port with the highest value wins. If several are equal, the first of them wins"),
    ], defaults: EdgeConfiguration.Port(id: ""))

  static func problem(withID id: String) -> String? {
    guard !id.isEmpty else { return nil }
    guard Identifier.isValid(id) else { return Identifier.rule }
    return reserved.contains(id) ? "\"\(id)\" is reserved; choose another id" : nil
  }
}

extension [LayeredValues<EdgeConfiguration.Port>] {
  /// Checks ports, and completes their names.
  mutating func settlePorts() throws(SettingsError) {
    var ids: Set<String> = []
    for index in indices {
      let port = self[index].values
      guard !port.id.isEmpty else { throw self[index].wrong("id", "is required") }
      if port.displayName.isEmpty { self[index].values.displayName = port.id }
      guard port.input != nil || port.output != nil else {
        throw self[index].wrong("id", "the port \"\(port.id)\" has neither input nor output")
      }
      guard ids.insert(port.id).inserted else {
        throw self[index].wrong("id", "\"\(port.id)\" is already the id of another port")
      }
      try self[index].settleChannels()
      guard port.jack == nil || port.jackControl != nil else {
        throw self[index].wrong(
          "jack", "needs a control, because neither output nor input names a card")
      }
    }
  }
}

extension LayeredValues<EdgeConfiguration> {
  /// Completes the ports, and checks the policy that selects one of them.
  mutating func settleRoutes() throws(SettingsError) {
    var own = values.routes.commandLine
    own.displayName = "named on the command line"
    let isNamed = own.input != nil || own.output != nil
    if isNamed {
      values.routes.ports.append(own)
    } else if values.routes.ports.isEmpty {
      values.routes.ports = [.standard]
    }
    if case .only(let id) = values.routes.policy {
      guard values.routes.ports.contains(where: { $0.id == id }) else {
        throw wrong(
          "routes.policy", "\"\(id)\" is not supported; use priority, follows-use or a port's id")
      }
    }
    // Devices named by flags take precedence over the policy of the file.
    if isNamed { values.routes.policy = .only(own.id) }
  }
}
