internal import Authentication
internal import GRPCTransport
internal import VoiceSessions

extension Principal {
  /// The principal that the interceptor has attached to a call. Throws UNAUTHENTICATED for a method
  /// without the interceptor.
  init(_ call: ServerCall) throws(Status) { try self.init(attached: call.attachment) }

  /// The principal that the interceptor has attached to a call. Throws UNAUTHENTICATED for a method
  /// without the interceptor.
  init(_ context: CallContext) throws(Status) { try self.init(attached: context.attachment) }

  /// The principal that the interceptor has attached to a call of any kind.
  init(attached: (any Sendable)?) throws(Status) {
    guard let principal = attached as? Principal else {
      throw Status(AuthenticationError.missing("the call has not been authenticated"))
    }
    self = principal
  }

  /// The origin of the client's controls, which do not come over the media stream.
  var origin: ControlOrigin { ControlOrigin(actor: name, isMediaClient: false) }

  /// Returns whether this may be the same client, which may call from another address now. A client
  /// without a name has that of its address, and takes another one with it.
  func isSame(as other: Principal) -> Bool {
    isVerified == other.isVerified && (name == other.name || isUnnamed && other.isUnnamed)
  }

  private var isUnnamed: Bool { !isVerified && name == host }

  /// Returns whether the client may reach a session with methods for its own sessions.
  func owns(_ session: SessionHandle) -> Bool { owns(sessionOf: session.setup.owner.actor) }

  /// Returns whether the client may reach the sessions of `owner` with methods for its own sessions.
  func owns(sessionOf owner: String) -> Bool { name == owner || has(.admin) }
}
