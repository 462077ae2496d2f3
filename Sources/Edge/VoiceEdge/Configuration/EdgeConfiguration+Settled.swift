internal import AnechoicAPI
internal import GRPCTransport
internal import Settings
internal import VoiceClient

extension LayeredValues<EdgeConfiguration> {
  /// Checks the keys of TLS and of the token together.
  mutating func settleServer() throws(SettingsError) {
    let server = values.server
    let files = server.files
    guard (files.certificate == nil) == (files.key == nil) else {
      throw wrong(
        files.key == nil ? "server.certificate" : "server.key",
        "certificate and key must be set together")
    }
    guard !files.isWanted || !server.address.hasPrefix("unix:") else {
      throw wrong("server.address", "the TLS keys cannot be used with a unix socket")
    }
    guard let token = server.tokenFile else { return }
    guard files.isWanted || ServerAddress(server.address)?.isLocal == true else {
      throw wrong(
        "server.token_file",
        "the token is not sent to \(server.address) without TLS; set tls: true")
    }
    values.server.credentials = TokenFile(path: token)
  }

  /// Chooses the names that are not set.
  mutating func settleNames(host: String) {
    if values.session.id.isEmpty {
      values.session.id = String("edge-\(host)".prefix(Identifier.longest))
    }
    if values.switching.machine.isEmpty {
      values.switching.machine = String(host.prefix(Identifier.longest))
    }
  }

  /// Throws for a key that runs a command if there is none.
  func settleKeys() throws(SettingsError) {
    for (key, action) in values.keys.actions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard action != .command || values.keys.command != nil else {
        throw wrong("keys.\(key.rawValue.replacing("-", with: "_"))", "needs keys.command")
      }
    }
  }
}
