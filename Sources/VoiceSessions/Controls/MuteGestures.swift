/// Requests to mute or unmute that come from a headset's button, a foot switch or a key.
///
/// A state machine without a clock: time is the sample of the microphone.
struct MuteGestures {
  /// More at once are refused.
  static let mostPending = 8
  /// So many decided gestures are known again when they are repeated.
  private static let mostRemembered = 64

  struct Pending: Equatable {
    let id: String
    let proposesMute: Bool
    let deadline: Int64
    /// Of the mute state that it was pressed in.
    var generation: UInt64 = 0
    let origin: ControlOrigin
  }

  /// What follows from a report.
  enum Verdict: Equatable {
    /// The same press was decided before.
    case known(GestureOutcome)
    /// The same press is waiting already.
    case waiting
    case ignored
    case apply(Pending)
    case ask(Pending)
  }

  /// How a gesture ended that somebody was asked about.
  struct Resolution: Equatable {
    let gesture: Pending
    let outcome: GestureOutcome
    let applies: Bool
  }

  private var pending: [Pending] = []
  private var decided: [(id: String, outcome: GestureOutcome, soundedChime: Bool)] = []

  /// `timeout` is in samples, `generation` that of the mute state.
  mutating func report(
    _ gesture: MuteGesture, isMuted: Bool, generation: UInt64 = 0,
    policy: SessionConfiguration.GesturePolicy,
    isInputRunning: Bool, now: Int64, timeout: Int64
  ) throws(Refusal) -> Verdict {
    if pending.contains(where: { $0.id == gesture.id }) { return .waiting }
    if let known = decided.last(where: { $0.id == gesture.id }) { return .known(known.outcome) }
    guard policy != .ignore, isInputRunning else {
      remember(gesture.id, .ignored)
      return .ignored
    }
    let request = Pending(
      id: gesture.id, proposesMute: gesture.mutes ?? !isMuted, deadline: now + timeout,
      generation: generation, origin: gesture.origin)
    if policy == .apply {
      remember(gesture.id, .applied)
      return .apply(request)
    }
    guard pending.count < Self.mostPending else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_GESTURES",
        message: "\(Self.mostPending) gestures wait already for a decision")
    }
    pending.append(request)
    return .ask(request)
  }

  mutating func decide(_ id: String, accept: Bool) throws(Refusal) -> Resolution {
    guard let index = pending.firstIndex(where: { $0.id == id }) else {
      if decided.contains(where: { $0.id == id }) {
        throw Refusal(
          .tooLate, reason: "GESTURE_DECIDED",
          message: "decide_mute_gesture: the gesture has been decided already")
      }
      throw Refusal(
        .notFound, reason: "UNKNOWN_GESTURE",
        message: "decide_mute_gesture: no gesture of this id waits")
    }
    let outcome = accept ? GestureOutcome.applied : .rejected
    remember(id, outcome)
    return Resolution(gesture: pending.remove(at: index), outcome: outcome, applies: accept)
  }

  /// Whether nobody is waiting for a decision.
  var isIdle: Bool { pending.isEmpty }

  /// Takes out a gesture whose time is over, or the one with an id whatever its time. Nobody having
  /// decided, it does not undo what somebody changed since it was pressed.
  mutating func expire(
    now: Int64, id: String? = nil, rejecting: Bool, generation: UInt64 = 0
  ) -> Resolution? {
    let index = pending.firstIndex { $0.id == id || $0.deadline <= now }
    guard let index else { return nil }
    let gesture = pending.remove(at: index)
    remember(gesture.id, .timedOut)
    return Resolution(
      gesture: gesture, outcome: .timedOut,
      applies: !rejecting && gesture.generation == generation)
  }

  /// Takes out a gesture that nobody is asked about any more.
  mutating func ignoreNext() -> Resolution? {
    guard !pending.isEmpty else { return nil }
    let gesture = pending.removeFirst()
    remember(gesture.id, .ignored)
    return Resolution(gesture: gesture, outcome: .ignored, applies: false)
  }

  private mutating func remember(_ id: String, _ outcome: GestureOutcome) {
    if decided.count == Self.mostRemembered { decided.removeFirst() }
    decided.append((id, outcome, false))
  }

  /// Whether a decided gesture sounded the chime: who repeats it must not sound another.
  func soundedChime(_ id: String) -> Bool {
    decided.last { $0.id == id }?.soundedChime ?? false
  }

  mutating func noteChime(of id: String) {
    guard let index = decided.lastIndex(where: { $0.id == id }) else { return }
    decided[index].soundedChime = true
  }
}

/// A request to mute or unmute, as it is reported.
public struct MuteGesture: Sendable, Equatable {
  /// The same id is the same press.
  public let id: String
  /// Nil for a push button, which toggles.
  public let mutes: Bool?
  public let origin: ControlOrigin

  public init(id: String, mutes: Bool?, origin: ControlOrigin) {
    self.id = id
    self.mutes = mutes
    self.origin = origin
  }
}

public enum GestureOutcome: Sendable { case applied, rejected, timedOut, ignored }

/// What the reporter of a gesture is told.
public struct GestureResult: Sendable, Equatable {
  public let outcome: GestureOutcome
  /// For the headset's lamp.
  public let state: MuteState
  public let soundsChime: Bool
}
