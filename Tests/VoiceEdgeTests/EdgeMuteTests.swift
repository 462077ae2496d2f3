import Testing

@testable import VoiceEdge

struct EdgeMuteTests {
  @Test func forSoundAllHaveToAgree() {
    var mute = EdgeMute(session: false)
    #expect(!mute.isMuted && mute.holders.isEmpty)
    mute.hardware = true
    #expect(mute.isMuted && mute.holders == [.hardware])
    mute.sessionChanged(true)
    #expect(mute.isMuted && mute.holders == [.session, .hardware])
    mute.hardware = false
    #expect(mute.isMuted && mute.holders == [.session])
    mute.sessionChanged(false)
    #expect(!mute.isMuted && mute.holders.isEmpty)
  }

  @Test func muteThatIsAskedForHoldsAtOnce() {
    var mute = EdgeMute(session: false)
    mute.request(true, controlID: 1)
    #expect(mute.isMuted && mute.holders == [.session] && !mute.session)
    mute.sessionChanged(true)
    #expect(mute.isMuted && mute.session)
  }

  @Test func unmuteThatIsAskedForWaitsForTheSession() {
    var mute = EdgeMute(session: true)
    mute.request(false, controlID: 1)
    #expect(mute.isMuted)
    mute.sessionChanged(false)
    #expect(!mute.isMuted)
  }

  @Test func aRefusedRequestLeavesWhatWas() {
    var mute = EdgeMute(session: false)
    mute.request(true, controlID: 7)
    mute.answered(controlID: 6, isRefused: true)
    #expect(mute.isMuted)
    mute.answered(controlID: 7, isRefused: true)
    #expect(!mute.isMuted)
    mute.sessionChanged(true)
    mute.answered(controlID: 7, isRefused: true)
    #expect(mute.isMuted)
  }
}
