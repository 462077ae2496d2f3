internal import AnechoicAPI
internal import GRPCTransport
internal import VoiceSessions

/// What a client is called.
///
/// This server does not authenticate: a client is who it says it is, and else the host that it
/// calls from.
enum ClientName {
  static func of(_ metadata: Metadata, peer: String) -> String {
    guard let name = metadata[RPC.clientName], !name.isEmpty else { return host(of: peer) }
    return String(name.prefix(ClientNameRule.longest))
  }

  /// `ipv4:127.0.0.1:40112` without its port, which is another for every connection.
  private static func host(of peer: String) -> String {
    guard !peer.hasPrefix("unix:"), let colon = peer.lastIndex(of: ":") else { return peer }
    return String(peer[..<colon])
  }
}

extension ControlOrigin {
  init(mediaClient call: ServerCall) {
    self.init(actor: ClientName.of(call.metadata, peer: call.peer), isMediaClient: true)
  }

  init(controlClient context: CallContext) {
    self.init(actor: ClientName.of(context.metadata, peer: context.peer), isMediaClient: false)
  }
}
