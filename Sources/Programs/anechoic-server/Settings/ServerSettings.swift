internal import BundledEngines
internal import GRPCTransport
public import Logging
public import Operations
public import Settings
internal import VoiceEngines
public import VoiceServer

/// The settings of `anechoic-server`.
///
/// To add a setting:
/// 1. Add a property with its default here. A group of properties may be a struct of its own.
/// 2. Add one line to the section's list below: the key, the property, the format, whether a running
///    server can take a new value, and the meaning. The flag is the key with hyphens, and the variable
///    is `ANECHOIC_` and the flag in upper case.
/// 3. Use the value in `configuration` of `ServerSettings+Configuration.swift`, or in `ServeCommand`. If
///    a running server can take a new value, apply it in `apply(to:)` of the same file.
///    A new section also needs a line in `SettingsFileOption.swift` and an `@OptionGroup` in `ServeCommand`.
/// 4. Run `scripts/generate settings`, which writes the sample file and the reference.
public struct ServerSettings: Sendable, Equatable {
  /// The address of a listener that is switched off.
  public static let off = "off"

  public var listen = ["127.0.0.1:50051"]
  /// `HOST:PORT`, `unix:PATH` or `off`.
  public var adminListen = "127.0.0.1:50052"
  /// `HOST:PORT` or `off`.
  public var httpListen = "127.0.0.1:50053"
  public var livePage = PageMode.auto
  public var webSocket = PageMode.auto
  public var allowedOrigins: [String] = []
  public var tryPage = true
  public var reflection = true
  public var tlsCertificate: String?
  public var tlsKey: String?
  public var tlsClientAuthorities: String?
  /// Whether the HTTP address speaks TLS too.
  public var tlsHTTP = false
  public var authentication = AuthenticationSettings()
  /// The number of threads for sessions. Nil is the number of cores.
  public var threads: Int?
  public var engine = EngineCatalog.bundled.defaultEngine.identity.name
  public var injection = true
  public var injectionPermissionsFile: String?
  public var profilesDirectory: String?
  public var allowRecording = false
  public var drainTime = Duration.seconds(10)
  public var limits = AdmissionLimits()
  public var logFormat = LogFormat.text
  public var logLevel = Logger.Level.info
  public var auditLog: String?
  public var tracing = TracingSettings()

  public init() {}
}

extension ServerSettings {
  /// The sample file, `deploy/anechoic-server.yaml`.
  public static var sample: String {
    table.sample(
      title: """
        Settings of anechoic-server. Each key is shown with its default; remove the "#" to set it.

        The server reads /etc/anechoic/server.yaml or the file given with --config. A command-line
        option takes precedence over an environment variable, and a variable over this file. The
        option for max_sessions is --max-sessions, the variable ANECHOIC_MAX_SESSIONS.
        docs/reference/configuration.md lists all of them.

        SIGHUP (systemctl reload anechoic-server) makes a running server read this file again. Keys
        marked "Reloadable" then take effect.

        To check this file: anechoic-server check-config
        """)
  }
}

extension ServerSettings {
  /// All settings, in the order of the sample file.
  public static let table = SettingsTable(
    listenSection + tlsSection + authenticationSection + sessionsSection + limitsSection
      + logSection + tracingSection, defaults: ServerSettings())

  public static let listenSection: [Setting<ServerSettings>] = [
    Setting(
      "listen.public", flag: "listen", \.listen, .addresses, .restart,
      "The addresses for clients. Port 0 chooses a free port"),
    Setting(
      "listen.admin", flag: "admin-listen", \.adminListen, .addressOrOff, .restart,
      "The plaintext address for operators, with health and reflection only"),
    Setting(
      "listen.http", flag: "http-listen", \.httpListen, .hostOrOff, .restart,
      "The HTTP address for operators, with metrics, switches and pages. Plaintext unless tls.http is set"
    ),
    Setting(
      "listen.live_page", flag: "live-page", \.livePage, .choice, .restart,
      """
      Whether the HTTP address serves the page on which operators watch and control sessions; auto \
      serves those who could reach the sessions anyway
      """),
    Setting(
      "listen.websocket", flag: "websocket", \.webSocket, .choice, .restart,
      """
      Whether the HTTP address serves sessions over WebSockets, at /v1/process; auto serves those who \
      could reach the sessions anyway
      """),
    Setting(
      "listen.allowed_origins", flag: "allowed-origin", \.allowedOrigins, .origins, .restart,
      "The sites whose pages may open WebSockets, besides the pages of this server"),
    Setting(
      "listen.try_page", flag: "try-page", \.tryPage, .boolean, .restart,
      "Whether the HTTP address serves the page /try, on which people hear themselves processed"),
    Setting(
      "listen.reflection", \.reflection, .boolean, .restart,
      "Whether the server describes its methods to clients (gRPC reflection)"),
  ]

  public static let tlsSection: [Setting<ServerSettings>] = [
    Setting(
      "tls.certificate", flag: "tls-certificate", \.tlsCertificate, .file, .live,
      """
      The server's certificate and its intermediate certificates in PEM. Enables TLS on the public \
      addresses except unix sockets
      """),
    Setting(
      "tls.key", flag: "tls-key", \.tlsKey, .file, .live,
      "The private key of the certificate in PEM"),
    Setting(
      "tls.client_ca", flag: "tls-client-ca", \.tlsClientAuthorities, .file, .live,
      "Accept only clients with a certificate of the authorities in this PEM file"),
    Setting(
      "tls.http", flag: "tls-http", \.tlsHTTP, .boolean, .restart,
      """
      Whether the HTTP address speaks HTTPS and wss:// with the certificate, and nothing else. It asks \
      clients for no certificate
      """),
  ]

  public static let sessionsSection: [Setting<ServerSettings>] = [
    Setting(
      "sessions.threads", \.threads, .automatic(1...1024, for: "the number of cores"), .restart,
      "The number of threads for sessions"),
    Setting(
      "sessions.engine", \.engine, .engine, .live,
      "The engine of sessions whose start names none"),
    Setting(
      "sessions.injection", \.injection, .boolean, .live,
      "Whether speech may be injected into sessions that accept it"),
    Setting(
      "sessions.injection_permissions_file", \.injectionPermissionsFile, .file, .restart,
      """
      The file that keeps decisions about injection that clients ask to remember. Needs verified \
      clients
      """),
    Setting(
      "sessions.profiles_directory", \.profilesDirectory, .folder, .restart,
      """
      The folder that keeps the profiles for spatial audio that clients upload. Without it, profiles \
      last until the server stops
      """),
    Setting(
      "sessions.allow_recording", \.allowRecording, .boolean, .live,
      """
      Whether clients may record sessions. The audio of a muted microphone is left out
      """),
    Setting(
      "sessions.drain_time", \.drainTime, .time(.drainTime), .live,
      "The time for running sessions to end when the server stops"),
  ]

  public static let limitsSection: [Setting<ServerSettings>] = [
    Setting(
      "limits.max_sessions", \.limits.sessions, .count(.sessions), .live,
      "Refuse sessions over this number with RESOURCE_EXHAUSTED"),
    Setting(
      "limits.max_sessions_per_client", \.limits.sessionsPerClient, .count(.sessionsPerClient),
      .live, "Refuse sessions over this number for the clients of one host; 0 for no limit"),
    Setting(
      "limits.frame_budget", \.limits.frameBudget, .share(.frameBudget), .restart,
      """
      Refuse sessions that would make a thread with sessions in real time work for more than this \
      share of its time; 0 for no limit
      """),
    Setting(
      "limits.resume_window", \.limits.resumeWindow, .time(.resumeWindow), .live,
      "Keep a session this long for a client that lost its connection; 0 for not at all"),
    Setting(
      "limits.start_deadline", \.limits.startDeadline, .time(.startDeadline), .restart,
      "End a call whose first message takes longer than this"),
    Setting(
      "limits.idle_limit", \.limits.idleLimit, .time(.idleLimit), .live,
      "End a session that receives no audio for this time; 0 for never"),
    Setting(
      "limits.longest_session", \.limits.longestSession, .time(.longestSession), .live,
      "End a session after this time; 0 for never"),
    Setting(
      "limits.max_calls_per_connection", \.limits.callsPerConnection, .count(.callsPerConnection),
      .restart, "Allow this number of open calls on one connection"),
    Setting(
      "limits.max_memory", \.limits.memoryBytes, .bytes(.memoryBytes), .restart,
      "The memory of all connections, without sessions; 0 for no limit"),
    Setting(
      "limits.max_message", \.limits.messageBytes, .bytes(.messageBytes), .restart,
      "End a call that sends a larger message than this"),
    Setting(
      "limits.handshake_timeout", \.limits.handshakeTimeout, .time(.handshakeTimeout), .restart,
      "Close a connection whose TLS handshake takes longer than this"),
    Setting(
      "limits.connection_age", \.limits.connectionAge, .time(.connectionAge), .restart,
      "Make clients connect again after this time; 0 for never"),
    Setting(
      "limits.connection_age_grace", \.limits.connectionAgeGrace, .time(.connectionAgeGrace),
      .restart, "The time for running calls to end after --connection-age"),
  ]

  public static let logSection: [Setting<ServerSettings>] = [
    Setting(
      "log.format", flag: "log-format", \.logFormat, .choice, .restart,
      "The form of the lines on standard error"),
    Setting(
      "log.level", flag: "log-level", \.logLevel, .choice, .live,
      "The lowest level of the lines on standard error"),
    Setting(
      "log.audit_file", flag: "audit-log", \.auditLog, .file, .restart,
      """
      The file to which lines about control actions are appended, instead of standard error. SIGHUP \
      opens it again
      """),
  ]
}
