internal import Settings

extension EdgeConfiguration {
  /// The answer to clients that ask to inject speech into the session of this machine.
  public struct Injection: Sendable, Equatable {
    public var permission = Permission.ask
    /// The command that decides, if `permission` is `ask`.
    public var command: String?
    public var notification = Notification.automatic
    /// Whether the server keeps the answers for later sessions.
    public var remembers = false

    public enum Permission: String, Sendable, CaseIterable {
      /// The person, or the command, decides.
      case ask
      case always
      case never
    }
  }

  static let injectionSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "injection.permission", flag: "injection-permission", \.injection.permission, .choice,
      """
      The answer to a client that asks to speak into a call. With ask, the person decides: on the \
      desktop, with anechoic-edge injection, or with the command below. An answer lasts as long as the \
      agent runs
      """),
    Setting(
      "injection.command", flag: "injection-command", \.injection.command, .optional(.command),
      """
      A shell command that decides instead of the person. ANECHOIC_CLIENT is the name of the client, \
      ANECHOIC_USAGE its reason. Exit status 0 within 5 s permits
      """),
    Setting(
      "injection.notification", flag: "injection-notification", \.injection.notification, .choice,
      """
      Whether the desktop asks the person, with two buttons: on, off, or automatic, which is on with \
      programs.desktop. Uses the notification service of programs.session_bus
      """),
    Setting(
      "injection.remember", flag: "injection-remember", \.injection.remembers, .boolean,
      """
      Whether the server keeps the answers for later sessions. Needs a server with \
      sessions.injection_permissions_file
      """),
  ]
}
