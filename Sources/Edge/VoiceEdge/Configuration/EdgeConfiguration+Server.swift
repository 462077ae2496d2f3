internal import AnechoicAPI
public import GRPCTransport
internal import Settings
public import VoiceClient

extension EdgeConfiguration {
  public struct Server: Sendable {
    /// `HOST:PORT` or `unix:PATH`.
    public var address = "127.0.0.1:50051"
    /// The caller creates `security` from these files.
    public var files = SecurityFiles()
    public var security = ChannelSecurity.plaintext
    /// The file with the token that each call presents. Nil for none.
    public var tokenFile: String?
    /// The source of the token, made of the file; nil for none.
    public var credentials: (any CredentialsProvider)?
  }

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

  /// A file, and the place where the configuration names it.
  public struct NamedFile: Sendable, Equatable {
    public var path: String
    public var place: String
  }

  static let serverSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "server.address", flag: "server", \.server.address, .serverAddress,
      "The address of the server. Unix sockets use no TLS"),
    Setting(
      "server.tls", \.server.files.isTLS, .boolean,
      """
      Whether to encrypt the connection and verify the server's certificate. Each of the next four \
      keys also enables TLS
      """),
    Setting(
      "server.ca_file", \.server.files.authorities, .optional(.namedFile),
      "The trusted authorities, PEM", unset: "the authorities that the system trusts"),
    Setting(
      "server.certificate", \.server.files.certificate, .optional(.namedFile),
      "The certificate of this machine, PEM, for a server that requires client certificates"),
    Setting(
      "server.key", \.server.files.key, .optional(.namedFile),
      "The private key of the certificate, PEM"),
    Setting(
      "server.tls_server_name", \.server.files.serverName,
      .optional(.filledText("name", allowed: "any name")), "The name in the server's certificate",
      unset: "the host in the address"),
    Setting(
      "server.token_file", \.server.tokenFile, .optional(.path),
      """
      A file with the token (JSON Web Token) for a server that requires one. It is read again \
      when it changes. Needs TLS, unless the server is on this machine
      """),
  ]
}
