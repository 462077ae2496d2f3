internal import AnechoicAPI
internal import GRPCTransport
internal import VoiceSessions

/// The identity of a call's client, as far as this server knows it.
///
/// The server does not authenticate clients. A client has the name that it gives itself, or the
/// name of its host if it gives none. A client can invent a name, but not a host. Other clients
/// show the name in terminals and logs, so it must follow `ClientNameRule`.
struct Principal: Hashable, Sendable {
  let name: String
  /// The address that the client calls from, without a port: `ipv4:127.0.0.1`, `unix:`.
  let host: String

  init(name: String, host: String) {
    self.name = name
    self.host = host
  }

  /// Throws INVALID_ARGUMENT if the name of the client is not allowed.
  init(_ call: ServerCall) throws(Status) { try self.init(call.metadata, peer: call.peer) }

  /// Throws INVALID_ARGUMENT if the name of the client is not allowed.
  init(_ context: CallContext) throws(Status) {
    try self.init(context.metadata, peer: context.peer)
  }

  private init(_ metadata: Metadata, peer: String) throws(Status) {
    host = PeerAddress.host(of: peer)
    guard let given = metadata[RPC.clientName], !given.isEmpty else {
      name = host
      return
    }
    guard ClientNameRule.allows(given) else {
      throw Status(InvalidField(RPC.clientName, ClientNameRule.text))
    }
    name = given
  }

  /// The origin of the client's controls, which do not come over the media stream.
  var origin: ControlOrigin { ControlOrigin(actor: name, isMediaClient: false) }
}
