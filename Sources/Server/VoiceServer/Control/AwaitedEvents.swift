internal import GRPCTransport
internal import VoiceSessions

/// The calls that wait for an event of a session.
struct AwaitedEvents {
  /// The maximum number of calls that wait for the same answer.
  private static let most = 16

  private var gestures: [String: [Reply<GestureResult>]] = [:]
  private var permissions: [String: [Reply<InjectionPermission>]] = [:]
  /// The calls that wait for the end of an injection, by its id. The answer is the duration that
  /// was heard, or nil if the injection was cancelled.
  var injections: [String: Reply<Duration?>] = [:]
  /// The calls that wait for the result of a control, by its id.
  private var controls: [UInt64: Reply<AppliedControl>] = [:]
  private var lastControl: UInt64 = 0
  /// The calls whose controls have been applied, with the sample.
  private var applied: [(id: UInt64, reply: Reply<AppliedControl>, sample: Int64)] = []
  /// The times at which gestures end that nobody decides, by their ids.
  var deadlines: [String: Deadline] = [:]

  struct Deadline {
    let time: ContinuousClock.Instant
    var timer: Timer?
  }

  /// Adds a call that waits for the decision of a gesture. Returns whether it is the first one.
  mutating func await(
    _ gesture: MuteGesture, _ reply: Reply<GestureResult>
  ) throws(Status) -> Bool {
    let before = (gestures[gesture.id] ?? []).filter { !$0.isOver }
    guard before.count < Self.most else { throw .tooManyWait }
    gestures[gesture.id] = before + [reply]
    return before.isEmpty
  }

  /// Adds a call that waits for the result of a control, whose id is returned.
  mutating func await(_ reply: Reply<AppliedControl>) -> UInt64 {
    lastControl += 1
    controls[lastControl] = reply
    return lastControl
  }

  mutating func await(
    permissionOf client: String, _ reply: Reply<InjectionPermission>
  ) throws(Status) {
    let before = (permissions[client] ?? []).filter { !$0.isOver }
    guard before.count < Self.most else { throw .tooManyWait }
    permissions[client] = before + [reply]
  }

  /// Answers all calls that wait for permission, because the server no longer allows injection.
  mutating func forbidInjection() {
    for reply in permissions.values.joined() { reply.give(.success(.serviceDisabled)) }
    permissions = [:]
  }

  /// Records the result of a control. It comes before its events, so that `answerControls` follows.
  mutating func record(_ result: ControlResult) {
    guard let reply = controls.removeValue(forKey: result.id) else { return }
    if let refusal = result.refusal {
      reply.give(.failure(Status(refusal)))
    } else {
      applied.append((result.id, reply, result.appliedAtSample))
    }
  }

  /// Whether a control was not refused. Call this before `answerControls`.
  func hasAccepted(_ control: UInt64) -> Bool {
    controls[control] != nil || applied.contains { $0.id == control }
  }

  /// Answers the calls whose controls have been applied, with the new state. Runs per turn.
  mutating func answerControls(_ state: @autoclosure () -> SessionState) {
    guard !applied.isEmpty else { return }
    for (_, reply, sample) in applied {
      reply.give(.success(AppliedControl(state: state(), sample: sample)))
    }
    applied = []
  }

  mutating func record(_ event: SessionEvent.Kind) {
    switch event {
    case .muteGestureResolved(let id, let result):
      deadlines.removeValue(forKey: id)?.timer?.cancel()
      for reply in gestures.removeValue(forKey: id) ?? [] { reply.give(.success(result)) }
    case .injectionPermissionChanged(let client, let permission):
      for reply in permissions.removeValue(forKey: client) ?? [] {
        reply.give(.success(permission))
      }
    case .injection(let id, .finished, let played):
      injections.removeValue(forKey: id)?.give(.success(played))
    case .injection(let id, .cancelled, _):
      injections.removeValue(forKey: id)?.give(.success(nil))
    default: break
    }
  }
}
