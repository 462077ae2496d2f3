import Testing

@testable import VoiceSessions

struct MuteGestureTests {
  private typealias Policy = SessionConfiguration.GesturePolicy
  private let headset = ControlOrigin(actor: "headset", isMediaClient: false)

  @Test func anAppliedGestureIsDecidedAtOnce() throws {
    var gestures = MuteGestures()
    let verdict = try report(&gestures, "1", policy: .apply)
    #expect(
      verdict
        == .apply(
          MuteGestures.Pending(id: "1", proposesMute: true, deadline: 100, origin: headset)))
    #expect(gestures.isIdle)
  }

  @Test(arguments: [true, false])
  func aPushButtonTogglesAndASwitchSetsTheState(isMuted: Bool) throws {
    var gestures = MuteGestures()
    let button = try report(&gestures, "1", policy: .apply, isMuted: isMuted)
    #expect(proposal(button) == !isMuted)
    for mutes in [true, false] {
      let verdict = try report(
        &gestures, "switch \(mutes)", mutes: mutes, policy: .apply, isMuted: isMuted)
      #expect(proposal(verdict) == mutes)
    }
  }

  @Test(arguments: [(Policy.ignore, true), (.apply, false), (.ask, false)])
  func aGestureIsIgnoredByPolicyOrWithoutInput(
    policy: SessionConfiguration.GesturePolicy, isInputRunning: Bool
  ) throws {
    var gestures = MuteGestures()
    let verdict = try report(&gestures, "1", policy: policy, isInputRunning: isInputRunning)
    #expect(verdict == .ignored && gestures.isIdle)
  }

  @Test func aRepeatIsTheSamePress() throws {
    var gestures = MuteGestures()
    _ = try report(&gestures, "applied", policy: .apply)
    let applied = try report(&gestures, "applied", policy: .apply, isMuted: true)
    #expect(applied == .known(.applied))
    _ = try report(&gestures, "asked", policy: .ask)
    let asked = try report(&gestures, "asked", policy: .ask, now: 50)
    #expect(asked == .waiting)
    _ = try gestures.decide("asked", accept: false)
    let rejected = try report(&gestures, "asked", policy: .ask)
    #expect(rejected == .known(.rejected))
    _ = try report(&gestures, "late", policy: .ask)
    _ = gestures.expire(now: 100, rejecting: true)
    let late = try report(&gestures, "late", policy: .apply)
    #expect(late == .known(.timedOut))
  }

  @Test func aRepeatOfAnIgnoredPressStaysIgnored() throws {
    var gestures = MuteGestures()
    _ = try report(&gestures, "1", policy: .ignore)
    let verdict = try report(&gestures, "1", policy: .apply)
    #expect(verdict == .known(.ignored))
  }

  @Test(arguments: [true, false])
  func theMediaClientDecides(accept: Bool) throws {
    var gestures = MuteGestures()
    _ = try report(&gestures, "1", policy: .ask)
    let resolution = try gestures.decide("1", accept: accept)
    #expect(resolution.outcome == (accept ? .applied : .rejected))
    #expect(resolution.applies == accept && resolution.gesture.id == "1")
    #expect(gestures.isIdle)
  }

  @Test func decisionsOnUnknownAndDecidedGesturesAreRefused() throws {
    var gestures = MuteGestures()
    let unknown = #expect(throws: Refusal.self) { try gestures.decide("1", accept: true) }
    #expect(unknown?.kind == .notFound && unknown?.reason == "UNKNOWN_GESTURE")
    _ = try report(&gestures, "1", policy: .ask)
    _ = try gestures.decide("1", accept: true)
    _ = try report(&gestures, "2", policy: .ask)
    _ = gestures.expire(now: 100, rejecting: false)
    _ = try report(&gestures, "3", policy: .apply)
    for id in ["1", "2", "3"] {
      let decided = #expect(throws: Refusal.self) { try gestures.decide(id, accept: true) }
      #expect(decided?.kind == .tooLate && decided?.reason == "GESTURE_DECIDED")
    }
  }

  @Test(arguments: [true, false])
  func anUndecidedGestureIsAppliedOrRejectedAtItsTimeout(rejecting: Bool) throws {
    var gestures = MuteGestures()
    _ = try report(&gestures, "1", policy: .ask, now: 10)
    _ = try report(&gestures, "2", policy: .ask, now: 20)
    let early = gestures.expire(now: 109, rejecting: rejecting)
    #expect(early == nil)
    let first = gestures.expire(now: 110, rejecting: rejecting)
    #expect(first?.gesture.id == "1" && first?.outcome == .timedOut)
    #expect(first?.applies == !rejecting)
    let second = gestures.expire(now: 110, rejecting: rejecting)
    #expect(second == nil && !gestures.isIdle)
  }

  @Test func oneGestureCanBeEndedBeforeItsTime() throws {
    var gestures = MuteGestures()
    _ = try report(&gestures, "1", policy: .ask)
    _ = try report(&gestures, "2", policy: .ask)
    let ended = gestures.expire(now: 0, id: "2", rejecting: true)
    #expect(ended?.gesture.id == "2" && ended?.applies == false)
    let other = gestures.expire(now: 0, id: "2", rejecting: true)
    #expect(other == nil && !gestures.isIdle)
  }

  @Test func tooManyThatWaitAreRefused() throws {
    var gestures = MuteGestures()
    for id in 0..<MuteGestures.mostPending {
      _ = try report(&gestures, "\(id)", policy: .ask)
    }
    let refusal = #expect(throws: Refusal.self) { try report(&gestures, "more", policy: .ask) }
    #expect(refusal?.kind == .tooMany && refusal?.reason == "TOO_MANY_GESTURES")
    let again = try report(&gestures, "0", policy: .ask)
    #expect(again == .waiting)
    _ = try gestures.decide("0", accept: false)
    let verdict = try report(&gestures, "more", policy: .ask)
    #expect(proposal(verdict) == true)
  }

  /// The press is at time 0, with a timeout of 100 samples. A later change by a client takes
  /// precedence over an unanswered press.
  @Test func aTimeoutDoesNotUndoALaterChange() throws {
    var gestures = MuteGestures()
    _ = try gestures.report(
      MuteGesture(id: "1", mutes: false, origin: headset), isMuted: true, generation: 3,
      policy: .ask, isInputRunning: true, now: 0, timeout: 100)
    let resolution = gestures.expire(now: 100, rejecting: false, generation: 5)
    #expect(resolution?.outcome == .timedOut && resolution?.applies == false)
  }

  @Test func aChangeToIgnoreEndsWaitingGestures() throws {
    var gestures = MuteGestures()
    for id in ["1", "2"] { _ = try report(&gestures, id, policy: .ask) }
    let first = gestures.ignoreNext()
    let second = gestures.ignoreNext()
    #expect(first?.gesture.id == "1" && first?.outcome == .ignored && first?.applies == false)
    let isLeft = gestures.ignoreNext() != nil
    #expect(second?.gesture.id == "2" && !isLeft && gestures.isIdle)
  }

  private func report(
    _ gestures: inout MuteGestures, _ id: String, mutes: Bool? = nil, policy: Policy,
    isMuted: Bool = false, isInputRunning: Bool = true, now: Int64 = 0
  ) throws(Refusal) -> MuteGestures.Verdict {
    try gestures.report(
      MuteGesture(id: id, mutes: mutes, origin: headset), isMuted: isMuted, policy: policy,
      isInputRunning: isInputRunning, now: now, timeout: 100)
  }

  private func proposal(_ verdict: MuteGestures.Verdict) -> Bool? {
    switch verdict {
    case .apply(let gesture), .ask(let gesture): gesture.proposesMute
    case .known, .waiting, .ignored: nil
    }
  }
}
