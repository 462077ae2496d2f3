internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The work that other connections pass to the session's thread.
extension RunningSession {
  /// Applies a control at its sample, or with the next frame. `reply` gets the new state then. Sets the
  /// labels as soon as the control is accepted, whether it is applied now or later.
  func apply(
    _ change: SessionControl.Change, as control: Anechoic_V1_Control, by client: ControlOrigin,
    labels: [String: String]? = nil, _ reply: Reply<AppliedControl>
  ) {
    let id = waiting.await(reply)
    let sample = control.hasAtSample ? control.atSample : nil
    session.apply(
      .control(SessionControl(id: id, atSample: sample, by: client, change), as: control),
      sink: self)
    if let labels, waiting.hasAccepted(id) { handle.set(labels) }
    waiting.answerControls(session.state)
  }

  func requestInjectionPermission(
    _ usage: String, by client: ControlOrigin, _ reply: Reply<InjectionPermission>
  ) throws(Status) {
    let stored = storedPermission(of: client.actor)
    try answer(to: .permissionRequest(by: client, usageDescription: usage, stored: stored))
    let permission = session.state.injectionPermissions[client.actor]
    if permission == .undetermined {
      try waiting.await(permissionOf: client.actor, reply)
    } else {
      reply.give(.success(permission))
    }
  }

  /// Lets the decision of another session count for a client that nobody has decided about in this one.
  private func applyStoredPermission(of client: ControlOrigin) throws(Status) {
    guard session.state.injectionPermissions[client.actor] == .undetermined,
      let stored = storedPermission(of: client.actor)
    else { return }
    try answer(to: .permissionRequest(by: client, usageDescription: "", stored: stored))
  }

  /// Stores a decision, which also counts in other sessions of the same owner where the client waits for
  /// one, or has one from the store.
  func store(permissionOf client: String, isGranted: Bool) {
    let owner = setup.owner.actor
    permissions?.store(isGranted, of: owner, about: client)
    for other in directory.sessions where other !== handle && other.setup.owner.actor == owner {
      other.tell { $0.followStoredPermission(of: client) }
    }
  }

  private func followStoredPermission(of client: String) {
    guard session.state.injectionPermissions.followsStore(client),
      let stored = storedPermission(of: client)
    else { return }
    let client = ControlOrigin(actor: client, isMediaClient: false)
    session.apply(
      .permissionRequest(by: client, usageDescription: "", stored: stored), sink: self)
  }

  /// Allows or forbids injection, because the server was switched.
  func allowInjection(_ isAllowed: Bool) {
    guard !isEnding, session.allowsInjection != isAllowed else { return }
    session.apply(.injectionAllowed(isAllowed), sink: self)
    handle.feed.update(session.state)
    if !isAllowed { waiting.forbidInjection() }
  }

  /// Starts an injection. `ended` gets the duration that was heard in the end, or nil if the
  /// injection was cancelled. The caller that passes the same `ended` later may continue the
  /// injection.
  func beginInjection(
    _ id: String, by client: ControlOrigin, heard audience: InjectionAudience,
    _ ended: Reply<Duration?>
  ) throws(Status) {
    try applyStoredPermission(of: client)
    try answer(to: .injection(id: id, .begun(by: client.actor, audience)))
    waiting.injections[id] = ended
  }

  /// Adds speech to an injection. Returns the duration that waits to be heard, or nil if the
  /// injection has ended.
  func inject(_ piece: InjectedSpeech, into id: String, _ ended: Reply<Duration?>) -> Duration? {
    guard holds(id, ended) else { return nil }
    session.apply(.injection(id: id, .piece(piece)), sink: self)
    return session.injectionBacklog(id)
  }

  func injectionBacklog(_ id: String, _ ended: Reply<Duration?>) -> Duration? {
    holds(id, ended) ? session.injectionBacklog(id) : nil
  }

  func completeInjection(_ id: String, _ ended: Reply<Duration?>) {
    guard holds(id, ended) else { return }
    session.apply(.injection(id: id, .completed), sink: self)
  }

  func cancelInjection(_ id: String, _ ended: Reply<Duration?>) {
    guard holds(id, ended) else { return }
    session.apply(.injection(id: id, .cancelled), sink: self)
  }

  private func holds(_ id: String, _ ended: Reply<Duration?>) -> Bool {
    waiting.injections[id] === ended
  }

  /// Applies an act. Throws a `Status` if the session refuses it.
  @discardableResult
  func answer(to act: SessionAct) throws(Status) -> SessionAct.Answer {
    let answer = session.apply(act, sink: self)
    if let refusal = answer.refusal { throw Status(refusal) }
    return answer
  }
}
