internal import CommandLineSupport
internal import Settings

/// A section of the server's settings, as a group of flags.
protocol ServerFlagSection: FlagSection where Values == ServerSettings {}

extension ServerFlagSection {
  static var table: SettingsTable<ServerSettings> { ServerSettings.table }
}

enum ListenFlags: ServerFlagSection { static let name = "listen" }
enum TLSFlags: ServerFlagSection { static let name = "tls" }
enum AuthenticationFlags: ServerFlagSection { static let name = "authentication" }
enum SessionsFlags: ServerFlagSection { static let name = "sessions" }
enum LimitsFlags: ServerFlagSection { static let name = "limits" }
enum LogFlags: ServerFlagSection { static let name = "log" }
enum TracingFlags: ServerFlagSection { static let name = "tracing" }
