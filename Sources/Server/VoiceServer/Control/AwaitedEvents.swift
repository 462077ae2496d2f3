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
