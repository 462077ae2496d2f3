internal import AnechoicAPI
internal import AudioCore
internal import DBus
internal import Foundation
internal import GRPCTransport
internal import SessionWire
public import Settings
internal import SwiftProtobuf
internal import VoiceClient
internal import VoiceSessions

extension EdgeConfiguration {
  /// Values that take precedence over those in the file. Variables begin with `ANECHOIC_EDGE_`.
  public typealias Overrides = SettingsOverrides

  /// The files for TLS, if it is requested.
  public struct SecurityFiles: Sendable, Equatable {
    public var isTLS = false
    public var authorities: NamedFile?
    public var certificate: NamedFile?
    public var key: NamedFile?
    public var serverName: String?

    /// Whether TLS is requested, with `tls` or with any of the files.
    public var isWanted: Bool {
      isTLS || authorities != nil || certificate != nil || serverName != nil
    }
  }

  /// The maximum size of a configuration file in bytes. Callers must not read more.
  public static let longestFile = 256 << 10

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - text: The YAML text.
  ///   - file: The name of the file in errors.
  /// - Returns: The configuration. The caller creates `server.security` from the files.
  public static func read(
    _ text: String, file: String, _ overrides: Overrides = Overrides()
  ) throws(SettingsError) -> (EdgeConfiguration, SecurityFiles) {
    let prefix = "ANECHOIC_EDGE_"
    let root = try SettingsSection(reading: text, file: file, overrides) {
      prefix + $0.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }
    try root.check([
      "server", "session", "audio", "microphone", "routes", "programs", "mute", "keys",
      "fallback", "control-socket", "routing",
    ])
    var configuration = EdgeConfiguration()
    let security = try configuration.readServer(root.section("server"))
    try configuration.readSession(root.section("session"))
    try configuration.readAudio(root.section("audio"))
    try configuration.readMicrophone(root.section("microphone"))
    try configuration.readRoutes(root.section("routes"))
    try configuration.readPrograms(root.section("programs"))
    try configuration.readSwitching(root.section("routing"), hostName: Self.hostName)
    try configuration.readMute(root.section("mute"))
    try configuration.readKeys(root.section("keys"))
    if let fallback = try root.choice("fallback", Fallback.allCases.map { ($0.rawValue, $0) }) {
      configuration.fallback = fallback
    }
    if let socket = try root.value("control-socket") {
      configuration.controlSocket = try Self.controlSocket(socket)
    }
    try configuration.settleJoin(root)
    try root.checkVariables(prefix: prefix)
    return (configuration, security)
  }

  private mutating func readServer(
    _ section: SettingsSection
  ) throws(SettingsError) -> SecurityFiles {
    try section.check([
      "address", "tls", "ca-file", "certificate", "key", "tls-server-name", "token-file",
    ])
    let files = SecurityFiles(
      isTLS: try section.boolean("tls") ?? false, authorities: try Self.file(section, "ca-file"),
      certificate: try Self.file(section, "certificate"), key: try Self.file(section, "key"),
      serverName: try section.text("tls-server-name"))
    guard (files.certificate == nil) == (files.key == nil) else {
      throw section.wrong(
        files.key == nil ? "certificate" : "key", "certificate and key must be set together")
    }
    if let address = try section.value("address") {
      if let problem = ServerAddress.connectingProblem(address.text) {
        throw address.wrong(problem)
      }
      guard !files.isWanted || !address.text.hasPrefix("unix:") else {
        throw address.wrong("the TLS keys cannot be used with a unix socket")
      }
      server.address = address.text
    }
    if let token = try section.filled("token-file") {
      guard files.isWanted || ServerAddress(server.address)?.isLocal == true else {
        throw token.wrong("the token is not sent to \(server.address) without TLS; set tls: true")
      }
      server.credentials = TokenFile(path: token.text)
    }
    return files
  }

  private static func file(
    _ section: SettingsSection, _ key: String
  ) throws(SettingsError) -> NamedFile? {
    try section.filled(key).map { NamedFile(path: $0.text, place: $0.place) }
  }

  /// Returns the path of the control socket, or nil if it is disabled.
  private static func controlSocket(
    _ value: SettingsValue
  ) throws(SettingsError) -> String? {
    guard !value.text.isEmpty, value.text != "none" else { return nil }
    guard UnixSocket.canBe(at: value.text) else {
      throw value.wrong("\"\(value.text)\" cannot be a socket: \(UnixSocket.rule)")
    }
    return value.text
  }

  private mutating func readSession(
    _ section: SettingsSection
  ) throws(SettingsError) {
    try section.check(["id", "client", "engine", "config", "share", "join", "join-buffer-ms"])
    session.share = try section.text("share")
    session.join = try section.text("join")
    if let buffer = try section.integer("join-buffer-ms", in: 10...400) {
      session.joinBuffer = .milliseconds(buffer)
    }
    session.id = String("edge-\(Self.hostName)".prefix(Identifier.longest))
    if let id = try section.value("id") {
      guard Identifier.isValid(id.text) else { throw id.wrong(Identifier.rule) }
      session.id = id.text
    }
    if let client = try section.value("client") {
      guard ClientNameRule.allows(client.text) else { throw client.wrong(ClientNameRule.text) }
      session.client = client.text
    }
    session.engine = try section.text("engine") ?? session.engine
    guard let object = try section.object("config") else { return }
    do throws(JSONFault) {
      session.configuration = try Anechoic_V1_SessionConfig(jsonObject: object)
    } catch {
      throw section.wrong("config", at: error.path, error.problem)
    }
    do throws(InvalidField) {
      _ = try SessionConfiguration(session.configuration, path: "config")
    } catch {
      let path = error.path.split(separator: ".").dropFirst().map { String($0) }
      throw section.wrong("config", at: path, error.problem)
    }
  }

  private mutating func readAudio(_ section: SettingsSection) throws(SettingsError) {
    try section.check([
      "rate", "input-channels", "output-channels", "periods", "volume-db", "reference",
      "tuning",
    ])
    let rates = SampleRate.allCases.map { ("\($0.hertz)", $0) }
    audio.rate = try section.choice("rate", rates) ?? audio.rate
    audio.inputChannels = try section.integer("input-channels", in: 1...2) ?? audio.inputChannels
    audio.outputChannels =
      try section.integer("output-channels", in: 1...2) ?? audio.outputChannels
    audio.periods = try section.integer("periods", in: 2...32) ?? audio.periods
    if let volume = try section.value("volume-db") {
      guard let decibels = Double(volume.text), (-60...0).contains(decibels) else {
        throw volume.wrong("\"\(volume.text)\" is not a number from -60 to 0")
      }
      audio.volume = decibels
    }
    audio.reference =
      try section.choice(
        "reference", [("auto", Reference.automatic), ("reports", .reports), ("tap", .tap)])
      ?? audio.reference
    audio.tuning = try Self.file(section, "tuning")
  }

  private mutating func readMicrophone(_ section: SettingsSection) throws(SettingsError) {
    try section.check(["open", "lamps"])
    microphone.open =
      try section.choice("open", Microphone.Open.allCases.map { ($0.rawValue, $0) })
      ?? microphone.open
    microphone.lamps = try section.list("lamps").map(\.text)
  }

  private mutating func readPrograms(
    _ section: SettingsSection
  ) throws(SettingsError) {
    try section.check([
      "far-end", "far-end-channels", "other-audio", "other-audio-channels", "voice", "desktop",
      "desktop-memory", "media", "media-memory", "session-bus",
    ])
    programs.farEnd = try Self.endpoint(section, "far-end")
    programs.otherAudio = try Self.endpoint(section, "other-audio")
    programs.voice = try Self.endpoint(section, "voice")
    programs.farEndChannels =
      try section.integer("far-end-channels", in: 1...2) ?? programs.farEndChannels
    programs.otherAudioChannels =
      try section.integer("other-audio-channels", in: 1...2) ?? programs.otherAudioChannels
    if let desktop = try section.value("desktop") {
      switch desktop.text {
      case "none": programs.desktop = .none
      case "auto": programs.desktop = .automatic
      case let address where address.hasPrefix("unix:/") || address.hasPrefix("tcp:"):
        programs.desktop = .server(address)
      default:
        throw desktop.wrong("\"\(desktop.text)\" is not supported; use none, auto or unix:PATH")
      }
    }
    programs.desktopMemory = try Self.wholePath(section, "desktop-memory")
    programs.media =
      try section.choice("media", Programs.Media.allCases.map { ($0.rawValue, $0) })
      ?? programs.media
    programs.mediaMemory = try Self.wholePath(section, "media-memory")
    programs.sessionBus = try Self.bus(section, "session-bus")
  }

  /// Returns a path that begins with /, or nil if there is none.
  private static func wholePath(
    _ section: SettingsSection, _ key: String
  ) throws(SettingsError) -> String? {
    guard let path = try section.filled(key) else { return nil }
    guard path.text.hasPrefix("/") else {
      throw path.wrong("\"\(path.text)\" is not a path that begins with /")
    }
    return path.text
  }

  /// Returns the address of a message bus, or nil for the usual one.
  private static func bus(
    _ section: SettingsSection, _ key: String
  ) throws(SettingsError) -> String? {
    guard let bus = try section.value(key), bus.text != "auto" else { return nil }
    if let problem = BusAddress.problem(in: bus.text) { throw bus.wrong(problem) }
    return bus.text
  }

  private mutating func readMute(_ section: SettingsSection) throws(SettingsError) {
    try section.check(["start-muted", "muted-audio", "keys", "lamps", "gesture-command"])
    mute.startsMuted = try section.boolean("start-muted") ?? mute.startsMuted
    mute.staysLocal =
      try section.choice("muted-audio", [("sent", false), ("stays-local", true)])
      ?? mute.staysLocal
    for key in try section.list("keys") {
      if let problem = InputDevice.problem(in: key.text) {
        throw key.wrong("\(key.text): \(problem)")
      }
      mute.keys.append(key.text)
    }
    mute.lamps = try section.list("lamps").map(\.text)
    mute.gestureCommand = try section.text("gesture-command")
  }

  private mutating func readKeys(_ section: SettingsSection) throws(SettingsError) {
    try section.check(Set(HeadsetKey.allCases.map(\.rawValue) + ["command"]))
    keys.command = try section.text("command")
    for key in HeadsetKey.allCases {
      let actions = KeyAction.allCases.map { ($0.rawValue, $0) }
      guard let action = try section.choice(key.rawValue, actions) else { continue }
      guard action != .command || keys.command != nil else {
        throw section.wrong(key.rawValue, "needs keys.command")
      }
      keys.actions[key] = action
    }
  }

  private static func endpoint(
    _ section: SettingsSection, _ key: String
  ) throws(SettingsError) -> Endpoint? {
    guard let value = try section.value(key), value.text != "none" else { return nil }
    guard let endpoint = Endpoint(value.text) else {
      throw value.wrong(
        "\"\(value.text)\" is not supported; use alsa:NAME, fifo:PATH, file:PATH or none")
    }
    return endpoint
  }

  private static var hostName: String {
    let name = ProcessInfo.processInfo.hostName.split(separator: ".").first ?? "host"
    return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }).lowercased()
  }
}
