import Testing

@testable import VoiceClient

/// The mute state as a client shows it, while requests wait for their answers.
struct RequestedMuteTests {
  /// Returns the state of a client whose session began at sample 0.
  private func session(muted: Bool) -> RequestedMute {
    var mute = RequestedMute(muted: muted)
    _ = mute.began(muted: muted, at: 0)
    return mute
  }

  @Test func aMuteTakesEffectWithTheRequestAndAnUnmuteWithTheAnswer() {
    var mute = session(muted: false)
    mute.ask(true, controlID: 1)
    #expect(mute.isMuted && mute.appliedFrom == .max && !mute.state)
    mute.answered(controlID: 1, isRefused: false, at: 160)
    #expect(mute.isMuted && mute.appliedFrom == 160 && mute.state)
    mute.ask(false, controlID: 2)
    #expect(mute.isMuted && !mute.wanted && mute.appliedFrom == .max)
    mute.answered(controlID: 2, isRefused: false, at: 320)
    #expect(!mute.isMuted)
  }

  @Test func anotherClientDoesNotOverrideARequestThatIsNotAnswered() {
    var mute = session(muted: true)
    mute.ask(true, controlID: 1)
    mute.changed(to: false, at: 160)
    #expect(mute.isMuted && mute.appliedFrom == .max)
    mute.answered(controlID: 1, isRefused: false, at: 320)
    #expect(mute.isMuted && mute.appliedFrom == 320)
  }

  @Test func aChangeAfterTheRequestWasAppliedCounts() {
    var mute = session(muted: false)
    mute.ask(true, controlID: 1)
    mute.changed(to: true, at: 160)
    #expect(mute.appliedFrom == .max, "the request is not answered")
    mute.changed(to: false, at: 320)
    mute.answered(controlID: 1, isRefused: false, at: 160)
    #expect(!mute.isMuted)
  }

  @Test func theOutputOfAnUnmuteBetweenTwoMutesIsNotHeard() {
    var mute = session(muted: false)
    mute.ask(true, controlID: 1)
    for (muted, sample) in [(true, 160), (false, 320), (true, 480)] {
      mute.changed(to: muted, at: Int64(sample))
    }
    mute.answered(controlID: 1, isRefused: false, at: 160)
    #expect(mute.isMuted && mute.appliedFrom == 480)
  }

  @Test func aRefusedMuteHolds() {
    var mute = session(muted: false)
    mute.ask(true, controlID: 3)
    mute.answered(controlID: 2, isRefused: true, at: 0)
    mute.answered(controlID: 3, isRefused: true, at: 160)
    #expect(mute.isMuted && mute.appliedFrom == .max && mute.wanted)
    mute.changed(to: false, at: 320)
    #expect(mute.isMuted)
    mute.answered(controlID: 3, isRefused: false, at: 480)
    #expect(mute.isMuted && mute.appliedFrom == 480)
  }

  @Test func onlyTheAnswerToTheLastRequestEndsIt() {
    var mute = session(muted: false)
    mute.ask(true, controlID: 1)
    mute.ask(false, controlID: 2)
    mute.withdraw(controlID: 1)
    mute.changed(to: true, at: 160)
    mute.withdraw(controlID: 2)
    #expect(mute.isMuted && mute.wanted && mute.appliedFrom == 160)
  }

  @Test func aStateThatIsToldWithoutItsSampleIsSilentUntilTheSampleIsKnown() {
    var mute = session(muted: false)
    mute.ask(true, controlID: 1)
    mute.changed(to: true)
    mute.withdraw(controlID: 1)
    #expect(mute.isMuted && mute.appliedFrom == .max)
    mute.changed(to: true, at: 160)
    #expect(mute.appliedFrom == 160)
  }

  @Test func withoutAServerRequestsTakeEffectAtOnce() {
    var mute = session(muted: true)
    mute.connectionLost()
    mute.ask(false)
    #expect(!mute.isMuted && !mute.state)
    mute.resumed(muted: true, at: 160)
    #expect(mute.isMuted, "the session has not answered yet")
  }

  @Test func aSessionIsAskedForTheLastRequestUnlessItHasThatState() {
    var mute = session(muted: false)
    mute.ask(true, controlID: 1)
    mute.connectionLost()
    let asked = mute.began(muted: false, at: 0)
    #expect(asked == true && mute.isMuted && mute.appliedFrom == .max)
    mute.connectionLost()
    let told = mute.began(muted: true, at: 160)
    #expect(told == nil && mute.isMuted && mute.appliedFrom == 160)
  }

  @Test func afterALossAnUnmuteWaitsForTheAnswerOfTheNextSession() {
    var mute = session(muted: true)
    mute.connectionLost()
    _ = mute.began(muted: true, at: 0)
    mute.ask(false, controlID: 1)
    #expect(mute.isMuted)
  }
}
