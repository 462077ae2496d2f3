internal import Settings

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
