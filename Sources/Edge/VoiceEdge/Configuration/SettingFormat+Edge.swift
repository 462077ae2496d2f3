internal import AnechoicAPI
internal import EdgeAudio
internal import GRPCTransport
internal import SessionWire
internal import Settings
internal import SwiftProtobuf
internal import VoiceClient
internal import VoiceSessions

extension SettingFormat<String> {
  static var serverAddress: Self {
    .text("address", allowed: "HOST:PORT, [IPv6]:PORT or unix:PATH") {
      ServerAddress.connectingProblem($0)
    }
  }

  /// An identifier. An empty default is chosen by the agent.
  static var identifier: Self {
    .filledText("id", allowed: "up to \(Identifier.longest) of a-z A-Z 0-9 . - and _") {
      Identifier.isValid($0) ? nil : Identifier.rule
    }
  }

  static var clientName: Self {
    .text("name", allowed: "up to \(ClientNameRule.longest) printable ASCII characters") {
      ClientNameRule.allows($0) ? nil : ClientNameRule.text
    }
  }

  static var path: Self { .filledText("path", allowed: "the path of a file") }

  /// The path of a file from the root.
  static var wholePath: Self {
    .filledText("path", allowed: "a path that begins with /") {
      $0.hasPrefix("/") ? nil : "\"\($0)\" is not a path that begins with /"
    }
  }

  static var command: Self { .filledText("command", allowed: "a shell command") }

  static var device: Self {
    .filledText("pcm", allowed: "an ALSA PCM, as listed by anechoic-edge devices")
  }

  static var mixer: Self { .filledText("ctl", allowed: "an ALSA control device") }

  static var portID: Self {
    .text(
      "id",
      allowed: """
        up to \(Identifier.longest) of a-z A-Z 0-9 . - and _, but not automatic, none, priority, \
        follows-use or command-line
        """
    ) {
      EdgeConfiguration.Port.problem(withID: $0)
    }
  }

  static var portName: Self {
    .filledText("name", allowed: "up to 255 bytes") {
      AudioPort.canBeCalled($0) ? nil : AudioPort.textRule
    }
  }
}

extension SettingFormat<EdgeConfiguration.NamedFile> {
  static var namedFile: Self {
    SettingFormat("path", allowed: "the path of a file") { value throws(SettingsError) in
      guard !value.text.isEmpty else { throw value.wrong("must not be empty") }
      return EdgeConfiguration.NamedFile(path: value.text, place: value.place)
    } show: {
      $0.path
    }
  }
}

extension SettingFormat<EdgeConfiguration.Reference> {
  static var reference: Self {
    let prefix = "alsa:"
    let words: [(String, EdgeConfiguration.Reference)] = [
      ("auto", .automatic), ("desktop", .desktop), ("reports", .reports), ("tap", .tap),
    ]
    return SettingFormat(
      "source", allowed: "auto, desktop, reports, tap or alsa:PCM"
    ) { text in
      guard text.hasPrefix(prefix) else { return words.first { $0.0 == text }?.1 }
      return text.count > prefix.count ? .pcm(String(text.dropFirst(prefix.count))) : nil
    } show: { value in
      if case .pcm(let name) = value {
        prefix + name
      } else {
        words.first { $0.1 == value }?.0 ?? ""
      }
    }
  }
}

extension SettingFormat<JackName?> {
  static var jack: Self {
    let allowed = "the name of a jack, with ,INDEX if several have it"
    return SettingFormat("jack", allowed: allowed) { value throws(SettingsError) in
      guard let jack = JackName(value.text) else {
        throw value.wrong("\"\(value.text)\" is not allowed; use \(allowed)")
      }
      return jack
    } show: {
      $0?.description
    }
  }
}

extension SettingFormat<[String]> {
  /// Channels of a device. A port checks them together.
  static var channels: Self {
    .list("channel", allowed: "one or two numbers from 1 to 32, or positions such as FL") {
      channel in
      DeviceChannel(channel) == nil
        ? "\"\(channel)\" is no channel; use a number from 1 to "
          + "\(DeviceChannel.largestNumber), or one of "
          + DeviceChannel.positions.joined(separator: ", ") : nil
    }
  }

  static var lamps: Self {
    .list("path", allowed: "paths of files; repeatable") { path in
      path.isEmpty ? "a path must not be empty; leave the lamp out, or name a file" : nil
    }
  }

  static var keyDevices: Self {
    .list("device", allowed: "paths of devices, name:NAME, bluez or bluez:ADDRESS; repeatable") {
      device in InputDevice.problem(in: device).map { "\(device): \($0)" }
    }
  }
}

extension SettingFormat<Duration> {
  static func milliseconds(_ range: ClosedRange<Int>) -> Self {
    SettingFormat(
      "number", allowed: "\(range.lowerBound) to \(range.upperBound)"
    ) { value throws(SettingsError) in
      .milliseconds(try value.integer(in: range))
    } show: {
      "\($0.components.seconds * 1000 + $0.components.attoseconds / 1_000_000_000_000_000)"
    }
  }
}

extension SettingFormat<Endpoint?> {
  static var endpoint: Self {
    let allowed = "alsa:PCM, fifo:PATH, file:PATH or none"
    return SettingFormat("place", allowed: allowed) { value throws(SettingsError) in
      guard value.text != "none" else { return nil }
      guard let endpoint = Endpoint(value.text) else {
        throw value.wrong("\"\(value.text)\" is not supported; use \(allowed)")
      }
      return endpoint
    } show: {
      $0?.description ?? "none"
    }
  }
}

extension SettingFormat<EdgeConfiguration.Programs.Desktop> {
  static var desktop: Self {
    SettingFormat("server", allowed: "none, auto, unix:PATH or tcp:HOST") { text in
      switch text {
      case "none": return EdgeConfiguration.Programs.Desktop.none
      case "auto": return .automatic
      case _ where text.hasPrefix("unix:/"): return .server(text)
      case _ where text.hasPrefix("tcp:"):
        let host = text.dropFirst(4).prefix { $0 != ":" }
        return host.isEmpty ? nil : .server(text)
      default: return nil
      }
    } show: {
      switch $0 {
      case .none: "none"
      case .automatic: "auto"
      case .server(let address): address
      }
    }
  }
}

extension SettingFormat<String?> {
  /// The address of a message bus. Nil is the usual one.
  static var bus: Self {
    SettingFormat(
      "address", allowed: "auto, or an address such as unix:path=/run/user/1000/bus"
    ) { value throws(SettingsError) in
      guard value.text != "auto" else { return nil }
      if let problem = BusAddress.problem(in: value.text) { throw value.wrong(problem) }
      return value.text
    } show: {
      $0 ?? "auto"
    }
  }

  /// The path of the control socket. Nil is none.
  static var controlSocket: Self {
    SettingFormat("path", allowed: "the path of a socket, or none") { value throws(SettingsError) in
      guard !value.text.isEmpty, value.text != "none" else { return nil }
      guard UnixSocket.canBe(at: value.text) else {
        throw value.wrong("\"\(value.text)\" cannot be a socket: \(UnixSocket.rule)")
      }
      return value.text
    } show: { path in
      path == ControlSocket().path ? nil : path ?? "none"
    }
  }
}

extension SettingFormat<EdgeConfiguration.Routes.Policy> {
  /// The ids of ports are checked when the ports are known.
  static var policy: Self {
    SettingFormat("name", allowed: "priority, follows-use or the id of a port") { text in
      switch text {
      case "priority": .priority
      case "follows-use": .followsUse
      default: .only(text)
      }
    } show: {
      switch $0 {
      case .priority: "priority"
      case .followsUse: "follows-use"
      case .only(let id): id
      }
    }
  }
}

extension SettingFormat<Anechoic_V1_AudioPort.TypeEnum> {
  static var portType: Self {
    .words([
      ("built-in", .builtIn), ("usb", .usb), ("bluetooth", .bluetooth), ("hdmi", .hdmi),
      ("line", .line), ("virtual", .virtual),
    ])
  }
}

extension SettingFormat<[EdgeConfiguration.Port]> {
  static var ports: Self {
    .elements(
      EdgeConfiguration.Port.table, allowed: "a list with the keys below", example: .standard
    ) { ports throws(SettingsError) in
      try ports.settlePorts()
    }
  }
}

extension SettingFormat<Anechoic_V1_SessionConfig> {
  static var sessionConfiguration: Self {
    .object(
      allowed: "an anechoic.v1.SessionConfig in its JSON form"
    ) { object throws(NestedSettingError) in
      let configuration: Anechoic_V1_SessionConfig
      do throws(JSONError) {
        configuration = try Anechoic_V1_SessionConfig(jsonObject: object)
      } catch {
        throw NestedSettingError(at: error.path, error.problem)
      }
      do throws(InvalidFieldError) {
        _ = try SessionConfiguration(configuration, path: "config")
      } catch {
        let path = error.path.split(separator: ".").dropFirst().map { String($0) }
        throw NestedSettingError(at: path, error.problem)
      }
      return configuration
    }
  }
}
