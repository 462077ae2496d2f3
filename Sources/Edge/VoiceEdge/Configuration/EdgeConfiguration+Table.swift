internal import Foundation
public import Settings

extension EdgeConfiguration {
  /// All settings, in the order of the sample file.
  public static let table = SettingsTable(
    serverSection + sessionSection + audioSection + routesSection + routingSection
      + programsSection + callsSection + microphoneSection + muteSection + keysSection
      + injectionSection + otherSettings,
    defaults: EdgeConfiguration(), names: names, notes: notes)

  /// The explanations of sections for the sample file.
  private static let notes = [
    "routing": """
    Automatic switching of headsets that several machines of a person can use. The server
    decides which machine uses a headset. See docs/features/automatic-switching.md.
    """,
    "programs": """
    The connections to other programs. FIFOs carry signed 16-bit little-endian samples,
    interleaved, at audio.rate. The agent creates missing FIFOs, and drops the samples that were
    written before it opened them.
    """,
    "keys": """
    The effect of each key on the devices of mute.keys: none, mute, which asks the session to
    mute or unmute, or command, which runs the command below. A hook switch asks to unmute when
    it is off the hook, and to mute when it is on the hook.
    """,
  ]

  /// The names of the version before are those with hyphens, and variables with the name of the
  /// section. Remove `former` after one version.
  private static let names = SettingsNames(
    prefix: variablePrefix, refusesOtherVariables: true,
    former: FormerNames(key: formerKey) { path in
      variablePrefix + path.uppercased().replacing(".", with: "_")
    })

  private static let variablePrefix = "ANECHOIC_EDGE_"

  /// Returns the name of a key in files of the version before.
  static func formerKey(_ key: String) -> String { key.replacing("_", with: "-") }

  /// The maximum size of a configuration file in bytes. Callers must not read more.
  public static var longestFile: Int { SettingsTable<EdgeConfiguration>.longestFile }

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - text: The YAML text.
  ///   - file: The name of the file in errors.
  /// - Returns: The configuration. The caller creates `server.security` from the files.
  public static func read(
    _ text: String, file: String, _ overrides: SettingsOverrides = SettingsOverrides()
  ) throws(SettingsError) -> LayeredValues<EdgeConfiguration> {
    var settings = try table.read(text, file: file, overrides)
    try settings.settleServer()
    settings.settleNames(host: hostName)
    try settings.settleRoutes()
    try settings.settleSwitching()
    try settings.settleFarEnds()
    try settings.settlePrograms()
    try settings.settleKeys()
    settings.warnAboutIdleSettings()
    try settings.settleJoin()
    try settings.settleDesktop()
    settings.settleLoopback()
    return settings
  }

  /// The sample file, `deploy/edge/anechoic-edge.yaml`.
  public static var sample: String {
    table.sample(
      title: """
        Settings of anechoic-edge. Each key is shown with its default; remove the "#" to set it.

        The agent reads /etc/anechoic/anechoic-edge.yaml or the file given with --config. A
        command-line option takes precedence over an environment variable, and a variable over this
        file. The option for far_end is --far-end, the variable ANECHOIC_EDGE_FAR_END.
        docs/reference/edge.md lists all of them. Unknown keys, and variables that begin with
        ANECHOIC_EDGE_ and belong to no key, are errors.

        To check this file: anechoic-edge check-config
        """)
  }

  private static var hostName: String {
    let name = ProcessInfo.processInfo.hostName.split(separator: ".").first ?? "host"
    return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }).lowercased()
  }
}
