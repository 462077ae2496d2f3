internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf
internal import VoiceSessions
internal import Yams

extension EdgeConfiguration {
  /// Values that lie over those of the file.
  public struct Overrides: Sendable {
    var values = ConfigurationSection.Overrides()

    /// `environment` is the process's; of it `ANECHOIC_EDGE_…` counts.
    public init(environment: [String: String] = [:]) { values.environment = environment }

    /// A flag that stands for the key at a path, such as `server.address`.
    public mutating func set(_ path: String, _ value: String?, flag: String) {
      if let value { values.flags[path] = (value, flag) }
    }
  }

  /// Where TLS is wished for, which files it takes.
  public struct SecurityFiles: Sendable, Equatable {
    public var isTLS = false
    public var authorities: String?
    public var certificate: String?
    public var key: String?
    public var serverName: String?
  }

  /// Reads a configuration. `text` is YAML; `file` is what it is called in errors.
  ///
  /// - Returns: The configuration, with `server.security` left to be made of the files.
  public static func read(
    _ text: String, file: String, _ overrides: Overrides = Overrides()
  ) throws(ConfigurationError) -> (EdgeConfiguration, SecurityFiles) {
    let node: Node?
    do {
      node = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      throw error.located(in: file)
    } catch {
      throw ConfigurationError(file, "\(error)")
    }
    let root = try ConfigurationSection(node, file: file, path: "", overrides.values)
    try root.check([
      "server", "session", "audio", "routes", "programs", "mute", "fallback", "control-socket",
    ])
    var configuration = EdgeConfiguration()
    let security = try configuration.readServer(root.section("server"))
    try configuration.readSession(root.section("session"))
    try configuration.readAudio(root.section("audio"))
    try configuration.readRoutes(root.section("routes"))
    try configuration.readPrograms(root.section("programs"))
    try configuration.readMute(root.section("mute"))
    if let fallback = try root.choice("fallback", Fallback.allCases.map { ($0.rawValue, $0) }) {
      configuration.fallback = fallback
    }
    if let socket = try root.text("control-socket") {
      configuration.controlSocket = socket.isEmpty || socket == "none" ? nil : socket
    }
    return (configuration, security)
  }

  private mutating func readServer(
    _ section: ConfigurationSection
  ) throws(ConfigurationError) -> SecurityFiles {
    try section.check([
      "address", "tls", "ca-file", "certificate", "key", "tls-server-name",
    ])
    if let address = try section.value("address") {
      guard address.text.contains(":") else {
        throw address.wrong("\"\(address.text)\" is neither HOST:PORT nor unix:PATH")
      }
      server.address = address.text
    }
    let files = SecurityFiles(
      isTLS: try section.boolean("tls") ?? false, authorities: try section.text("ca-file"),
      certificate: try section.text("certificate"), key: try section.text("key"),
      serverName: try section.text("tls-server-name"))
    guard (files.certificate == nil) == (files.key == nil) else {
      throw section.wrong(
        files.key == nil ? "certificate" : "key", "certificate and key go together")
    }
    return files
  }

  private mutating func readSession(
    _ section: ConfigurationSection
  ) throws(ConfigurationError) {
    try section.check(["id", "client", "config"])
    session.id = try section.text("id") ?? "edge-\(Self.hostName)"
    session.client = try section.text("client") ?? session.client
    guard let node = section.node("config"), node.null == nil else { return }
    guard node.mapping != nil else { throw section.wrong("config", "takes keys and values") }
    do {
      let object = try Self.object(of: node)
      let json = try JSONSerialization.data(withJSONObject: object)
      session.configuration = try Anechoic_V1_SessionConfig(jsonUTF8Data: json)
      _ = try SessionConfiguration(session.configuration, path: "config")
    } catch let error as InvalidField {
      throw section.wrong("config", "\(error)")
    } catch let error as JSONDecodingError {
      throw section.wrong("config", error.problem)
    } catch {
      throw section.wrong("config", "takes the keys of anechoic.v1.SessionConfig")
    }
  }

  private mutating func readAudio(_ section: ConfigurationSection) throws(ConfigurationError) {
    try section.check([
      "rate", "input-channels", "output-channels", "periods", "volume-db", "reference",
    ])
    let rates = SampleRate.allCases.map { ("\($0.hertz)", $0) }
    audio.rate = try section.choice("rate", rates) ?? audio.rate
    audio.inputChannels = try section.integer("input-channels", in: 1...2) ?? audio.inputChannels
    audio.outputChannels =
      try section.integer("output-channels", in: 1...2) ?? audio.outputChannels
    audio.periods = try section.integer("periods", in: 2...32) ?? audio.periods
    if let volume = try section.value("volume-db") {
      guard let decibels = Double(volume.text), (-60...0).contains(decibels) else {
        throw volume.wrong("\"\(volume.text)\" is no number from -60 to 0")
      }
      audio.volume = decibels
    }
    audio.reference =
      try section.choice(
        "reference", [("auto", Reference.automatic), ("reports", .reports), ("tap", .tap)])
      ?? audio.reference
  }

  private mutating func readPrograms(
    _ section: ConfigurationSection
  ) throws(ConfigurationError) {
    try section.check([
      "far-end", "far-end-channels", "other-audio", "other-audio-channels", "voice",
    ])
    programs.farEnd = try Self.endpoint(section, "far-end")
    programs.otherAudio = try Self.endpoint(section, "other-audio")
    programs.voice = try Self.endpoint(section, "voice")
    programs.farEndChannels =
      try section.integer("far-end-channels", in: 1...2) ?? programs.farEndChannels
    programs.otherAudioChannels =
      try section.integer("other-audio-channels", in: 1...2) ?? programs.otherAudioChannels
  }

  private mutating func readMute(_ section: ConfigurationSection) throws(ConfigurationError) {
    try section.check(["start-muted", "muted-audio", "keys", "lamps", "gesture-command"])
    mute.startsMuted = try section.boolean("start-muted") ?? mute.startsMuted
    mute.staysLocal =
      try section.choice("muted-audio", [("sent", false), ("stays-local", true)])
      ?? mute.staysLocal
    mute.keys = try section.texts("keys")
    mute.lamps = try section.texts("lamps")
    mute.gestureCommand = try section.text("gesture-command")
  }

  private static func endpoint(
    _ section: ConfigurationSection, _ key: String
  ) throws(ConfigurationError) -> Endpoint? {
    guard let value = try section.value(key), value.text != "none" else { return nil }
    guard let endpoint = Endpoint(value.text) else {
      throw value.wrong("\"\(value.text)\" is none of alsa:NAME, fifo:PATH, file:PATH, none")
    }
    return endpoint
  }

  private static var hostName: String {
    let name = ProcessInfo.processInfo.hostName.split(separator: ".").first ?? "host"
    return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }).lowercased()
  }

  /// As JSONSerialization takes it.
  private static func object(of node: Node) throws -> Any {
    switch node {
    case .mapping(let mapping):
      var object: [String: Any] = [:]
      for (key, value) in mapping { object[key.string ?? ""] = try Self.object(of: value) }
      return object
    case .sequence(let sequence): return try sequence.map { try Self.object(of: $0) }
    case .scalar:
      if let number = node.int { return number }
      if let number = node.float { return number }
      if let truth = node.bool { return truth }
      return node.string ?? ""
    case .alias: return ""
    }
  }
}

extension YamlError {
  /// With the line where there is one.
  fileprivate func located(in file: String) -> ConfigurationError {
    switch self {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return ConfigurationError("\(file):\(mark.line)", problem)
    case .duplicatedKeysInMapping(let keys, let context):
      let names = keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      return ConfigurationError("\(file):\(context.mark.line)", "\(names) stands here twice")
    default:
      let words = "\(self)".split(whereSeparator: \.isNewline)
      return ConfigurationError(file, words.joined(separator: " "))
    }
  }
}
