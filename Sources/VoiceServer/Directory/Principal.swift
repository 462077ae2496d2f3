internal import AnechoicAPI
internal import GRPCTransport
internal import VoiceSessions

/// The identity of a call's client, as far as this server knows it.
///
/// The server does not authenticate clients. A client has the name that it gives itself, or the
/// name of its host if it gives none. A client can invent a name, but not a host.
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

  /// The origin of the client's controls, which do not come over the media stream.
  var origin: ControlOrigin { ControlOrigin(actor: name, isMediaClient: false) }
}
