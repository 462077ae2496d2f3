import Testing

@testable import VoiceClient

/// The mute state as a client shows it, while requests wait for their answers.
struct RequestedMuteTests {
  @Test func aMuteTakesEffectWithTheRequestAndAnUnmuteWithTheAnswer() {
    var mute = RequestedMute(muted: false)
    mute.ask(true, controlID: 1)
    #expect(mute.isMuted && mute.isAhead && !mute.told)
    mute.answered(controlID: 1, isRefused: false)
    #expect(mute.isMuted && !mute.isAhead && mute.told)
    mute.ask(false, controlID: 2)
    #expect(mute.isMuted && !mute.wanted)
    mute.answered(controlID: 2, isRefused: false)
    #expect(!mute.isMuted)
  }

  @Test func anotherClientDoesNotOverrideARequestThatIsNotAnswered() {
    var mute = RequestedMute(muted: true)
    mute.ask(true, controlID: 1)
    mute.changed(to: false)
    #expect(mute.isMuted)
    mute.answered(controlID: 1, isRefused: false)
    #expect(mute.isMuted)
  }

  @Test func aChangeAfterTheRequestWasAppliedCounts() {
    var mute = RequestedMute(muted: false)
    mute.ask(true, controlID: 1)
    mute.changed(to: true)
    mute.changed(to: false)
    mute.answered(controlID: 1, isRefused: false)
    #expect(!mute.isMuted)
  }

  @Test func aRefusedRequestLeavesTheStateOfTheSession() {
    var mute = RequestedMute(muted: false)
    mute.ask(true, controlID: 3)
    mute.answered(controlID: 2, isRefused: true)
    #expect(mute.isMuted)
    mute.answered(controlID: 3, isRefused: true)
    #expect(!mute.isMuted)
  }

  @Test func onlyTheAnswerToTheLastRequestEndsIt() {
    var mute = RequestedMute(muted: false)
    mute.ask(true, controlID: 1)
    mute.ask(false, controlID: 2)
    mute.withdraw(controlID: 1)
    mute.changed(to: true)
    mute.withdraw(controlID: 2)
    #expect(mute.isMuted && mute.wanted)
  }

  @Test func withoutAServerRequestsTakeEffectAtOnce() {
    var mute = RequestedMute(muted: true)
    mute.connectionLost()
    mute.ask(false, controlID: 1)
    #expect(!mute.isMuted)
    mute.connected(muted: true)
    #expect(mute.isMuted, "the session has not answered yet")
    mute.settle(false)
    #expect(!mute.isMuted && !mute.wanted)
  }
}
