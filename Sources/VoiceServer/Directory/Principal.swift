internal import AnechoicAPI
internal import GRPCTransport
internal import VoiceSessions

/// The client of a call, as far as this server can tell clients apart.
///
/// This server does not authenticate: a client is who it says it is, or else its host. The host cannot
/// be made up.
struct Principal: Hashable, Sendable {
  let name: String
  /// The address that the client calls from, without a port: `ipv4:127.0.0.1`, `unix:`.
  let host: String

  init(name: String, host: String) {
    self.name = name
    self.host = host
  }

  init(_ call: ServerCall) { self.init(call.metadata, peer: call.peer) }

  init(_ context: CallContext) { self.init(context.metadata, peer: context.peer) }

  private init(_ metadata: Metadata, peer: String) {
    host = PeerAddress.host(of: peer)
    guard let given = metadata[RPC.clientName], !given.isEmpty else {
      name = host
      return
    }
    name = String(given.prefix(ClientNameRule.longest))
  }

  /// The origin of the controls that the client sends over a connection of its own.
  var origin: ControlOrigin { ControlOrigin(actor: name, isMediaClient: false) }
}
