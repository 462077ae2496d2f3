internal import BundledEngines
public import Logging
public import Operations
internal import Settings
internal import VoiceEngines
public import VoiceServer

/// The settings of `anechoic-server`.
///
/// To add a setting:
/// 1. Add a property with its default here. A group of properties may be a struct of its own.
/// 2. Add one line to the section's list in `ServerSettings+Sections.swift`: the key, the property,
///    the format, whether a running server can take a new value, and the meaning. The flag is the key
///    with hyphens, and the variable is `ANECHOIC_` and the flag in upper case.
/// 3. Use the value in `configuration` of `ServerSettings+Configuration.swift`, or in `ServeCommand`. If
///    a running server can take a new value, apply it in `apply(to:)` of the same file.
///    A new section also needs a line in `FlagSections.swift` and an `@OptionGroup` in `ServeCommand`.
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
