internal import AnechoicAPI
internal import SessionWire
internal import Settings
internal import VoiceSessions

extension EdgeConfiguration {
  /// Ids with another meaning for the policy or the `route` command.
  private static let reserved: Set = ["automatic", "none", "priority", "follows-use", flagPortID]
  /// The id of the port that flags describe.
  private static let flagPortID = "command-line"

  /// Reads the ports and the policy that selects one of them.
  mutating func readRoutes(_ section: SettingsSection) throws(SettingsError) {
    // Flags describe only one port, so these keys have none.
    try section.check(["policy", "ports"])
    for port in try section.sections("ports") {
      let new = try Self.port(port)
      guard !routes.ports.contains(where: { $0.id == new.id }) else {
        throw port.wrong("id", "\"\(new.id)\" is already the id of another port")
      }
      routes.ports.append(new)
    }
    let own = try Self.flagPort(section)
    let isNamed = own.input != nil || own.output != nil
    if isNamed {
      routes.ports.append(own)
    } else if routes.ports.isEmpty {
      var port = Port(id: "default")
      (port.input, port.output) = ("default", "default")
      routes.ports = [port]
    }
    if let policy = try section.value("policy") {
      switch policy.text {
      case "priority": routes.policy = .priority
      case "follows-use": routes.policy = .followsUse
      case let id where routes.ports.contains { $0.id == id }: routes.policy = .only(id)
      default:
        throw policy.wrong(
          "\"\(policy.text)\" is not supported; use priority, follows-use or a port's id")
      }
    }
    // Devices named by flags take precedence over the policy of the file.
    if isNamed { routes.policy = .only(own.id) }
  }

  private static func port(_ section: SettingsSection) throws(SettingsError) -> Port {
    try section.check([
      "id", "name", "type", "input", "output", "loopback", "control", "headphones", "priority",
      "product",
    ])
    guard let id = try section.value("id")?.text, !id.isEmpty else {
      throw section.wrong("id", "is required")
    }
    guard Identifier.isValid(id) else { throw section.wrong("id", Identifier.rule) }
    guard !reserved.contains(id) else {
      throw section.wrong("id", "\"\(id)\" is reserved; choose another id")
    }
    var port = Port(id: id)
    port.displayName = id
    if let name = try section.filled("name") {
      guard AudioPort.canBeCalled(name.text) else { throw name.wrong(AudioPort.textRule) }
      port.displayName = name.text
    }
    port.type =
      try section.choice(
        "type",
        [
          ("built-in", .builtIn), ("usb", .usb), ("bluetooth", .bluetooth), ("hdmi", .hdmi),
          ("line", .line), ("virtual", .virtual),
        ]) ?? .unspecified
    port.input = try section.text("input")
    port.output = try section.text("output")
    port.loopback = try section.text("loopback")
    port.control = try section.text("control")
    port.headphones = try section.boolean("headphones") ?? false
    port.product = try section.text("product")
    port.priority = try section.integer("priority", in: -1000...1000) ?? 0
    guard port.input != nil || port.output != nil else {
      throw section.wrong("id", "the port \"\(id)\" has neither input nor output")
    }
    return port
  }

  /// Returns the port that `--input` and the related flags describe.
  private static func flagPort(
    _ section: SettingsSection
  ) throws(SettingsError) -> Port {
    var port = Port(id: flagPortID)
    port.displayName = "named on the command line"
    port.input = try section.text("input")
    port.output = try section.text("output")
    port.loopback = try section.text("loopback")
    port.control = try section.text("control")
    return port
  }
}
