package import AnechoicAPI

/// The requests of a client to change the mute state, on their way to the session.
///
/// One request is under way at a time, because a server refuses controls if too many come at once. The newest of the
/// others is sent after the answer. A request that the session refuses is sent again, unless another one
/// waits. Reads no clock.
package struct MuteRequests: Sendable {
  /// The time after which a refused request is sent again.
  package static let pause = Duration.milliseconds(500)

  private var waiting: Anechoic_V1_Control?
  private var underWay: Anechoic_V1_Control?
  private var earliest: ContinuousClock.Instant?

  package init() {}

  package var isEmpty: Bool { waiting == nil }

  /// Adds a request, which has its number.
  package mutating func add(_ control: Anechoic_V1_Control) { waiting = control }

  /// Returns the request to send now, or nil if there is none.
  package mutating func pop(now: ContinuousClock.Instant) -> Anechoic_V1_Control? {
    guard underWay == nil, let waiting, earliest.map({ $0 <= now }) ?? true else { return nil }
    (underWay, self.waiting, earliest) = (waiting, nil, nil)
    return waiting
  }

  /// Records the answer to a control. Answers to other controls are ignored.
  package mutating func answered(
    _ controlID: UInt64, isRefused: Bool, now: ContinuousClock.Instant
  ) {
    guard let answered = underWay, answered.controlID == controlID else { return }
    underWay = nil
    guard isRefused else { return }
    waiting = waiting ?? answered
    earliest = now + Self.pause
  }

  /// Forgets all requests.
  package mutating func drop() { self = MuteRequests() }
}
