/// The mute gestures of a session: presses of a headset's button, a foot switch or a key.
///
/// A state machine without a clock. Its time is the sample of the microphone.
struct MuteGestures {
  /// More undecided gestures at once are refused.
  static let mostPending = 8
  /// The number of decided gestures that are remembered, so that a repeat is recognized.
  private static let mostRemembered = 64

  struct Pending: Equatable {
    let id: String
    let proposesMute: Bool
    let deadline: Int64
    /// The generation of the mute state at the press.
    var generation: UInt64 = 0
    let origin: ControlOrigin
  }

  /// The consequence of a report.
  enum Verdict: Equatable {
    /// The gesture was decided before.
    case known(GestureOutcome)
    /// The gesture already waits for a decision.
    case waiting
    case ignored
    case apply(Pending)
    case ask(Pending)
  }

  /// The end of a gesture that waited for a decision.
  struct Resolution: Equatable {
    let gesture: Pending
    let outcome: GestureOutcome
    let applies: Bool
  }

  private var pending: [Pending] = []
  private var decided: [(id: String, outcome: GestureOutcome, soundedChime: Bool)] = []

  /// Handles a gesture. `timeout` is in samples, `generation` is that of the mute state.
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
        message: "\(Self.mostPending) gestures already wait for a decision")
    }
    pending.append(request)
    return .ask(request)
  }

  mutating func decide(_ id: String, accept: Bool) throws(Refusal) -> Resolution {
    guard let index = pending.firstIndex(where: { $0.id == id }) else {
      if decided.contains(where: { $0.id == id }) {
        throw Refusal(
          .tooLate, reason: "GESTURE_DECIDED",
          message: "decide_mute_gesture: the gesture has already been decided")
      }
      throw Refusal(
        .notFound, reason: "UNKNOWN_GESTURE",
        message: "decide_mute_gesture: no gesture of this id waits")
    }
    let outcome = accept ? GestureOutcome.applied : .rejected
    remember(id, outcome)
    return Resolution(gesture: pending.remove(at: index), outcome: outcome, applies: accept)
  }

  /// Whether no gesture waits for a decision.
  var isIdle: Bool { pending.isEmpty }

  /// Takes out a gesture that has timed out, or the one with the given id. A gesture that timed out is
  /// not applied where the mute state has changed since the press.
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

  /// Takes out the first waiting gesture as ignored, or returns nil where none waits.
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

  /// Whether a decided gesture sounded the chime. A repeat of the gesture sounds no other.
  func soundedChime(_ id: String) -> Bool {
    decided.last { $0.id == id }?.soundedChime ?? false
  }

  mutating func recordChime(of id: String) {
    guard let index = decided.lastIndex(where: { $0.id == id }) else { return }
    decided[index].soundedChime = true
  }
}

/// A reported request to mute or unmute.
public struct MuteGesture: Sendable, Equatable {
  /// The id of the press. Reports with the same id are one press.
  public let id: String
  /// Whether the gesture mutes, or nil for a push button, which toggles.
  public let mutes: Bool?
  public let origin: ControlOrigin

  public init(id: String, mutes: Bool?, origin: ControlOrigin) {
    self.id = id
    self.mutes = mutes
    self.origin = origin
  }
}

public enum GestureOutcome: Sendable { case applied, rejected, timedOut, ignored }

/// The result of a gesture for its reporter.
public struct GestureResult: Sendable, Equatable {
  public let outcome: GestureOutcome
  /// The mute state after the gesture, for the headset's lamp.
  public let state: MuteState
  public let soundsChime: Bool
}
